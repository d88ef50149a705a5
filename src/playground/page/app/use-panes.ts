import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { WireFile } from "../../live/wire.ts";
import type { Draft } from "../composer/composer.ts";
import type { Panel } from "../drawer/drawer.ts";
import type { OpenFile } from "../messages/file-pane.ts";
import type { Workspace } from "./workspace.ts";

/** The open panes beside the conversation. They have no address of their own. */
export type Panes = {
  readonly panel: Panel | undefined;
  readonly setPanel: (panel: Panel | undefined) => void;
  readonly file: OpenFile | undefined;
  readonly setFile: (file: OpenFile | undefined) => void;
  readonly openFile: (file: WireFile | string) => void;
  /** The sidebar, on narrow screens. */
  readonly isListOpen: boolean;
  readonly setListOpen: (isOpen: boolean) => void;
  readonly draft: Draft | undefined;
  readonly putDraft: (text: string) => void;
};

const key = "playground-panel";

/** The drawer stays open across reloads of this window. */
function storedPanel(): Panel | undefined {
  const stored = sessionStorage.getItem(key);
  return stored === "inspector" || stored === "faults" ? stored : undefined;
}

function fileById(workspace: Workspace, id: string): OpenFile {
  const files = Object.values(workspace.messages).flatMap((messages) => messages.flatMap((message) => message.files));
  return files.find((file) => file.id === id) ?? { id, name: id };
}

export function usePanes(workspace: Workspace): Panes {
  const [panel, setPanel] = useState<Panel | undefined>(storedPanel);
  const [file, setFile] = useState<OpenFile | undefined>(undefined);
  const [isListOpen, setListOpen] = useState(false);
  const [draft, setDraft] = useState<Draft | undefined>(undefined);
  const latest = useRef(workspace);
  latest.current = workspace;
  useEffect(() => sessionStorage.setItem(key, panel ?? ""), [panel]);
  const openFile = useCallback((wanted: WireFile | string) => {
    setFile(typeof wanted === "string" ? fileById(latest.current, wanted) : wanted);
  }, []);
  const putDraft = useCallback((text: string) => setDraft({ text }), []);
  return { panel, setPanel, file, setFile, openFile, isListOpen, setListOpen, draft, putDraft };
}
