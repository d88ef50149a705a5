import { isObject } from "../json.ts";
import { all, type Check, may, must, object, report, someString, text, url, word } from "./shape.ts";
import { plain } from "./text-objects.ts";

const source = {
  image_url: may(all(text("image.url"), url)),
  slack_file: may(object({ url: may(someString), id: may(someString) })),
  alt_text: must(text("image.alt")),
};

const oneImage: Check = (value, at, site) => {
  if (!isObject(value)) return;
  const sources = [value["image_url"], value["slack_file"]].filter((each) => each !== undefined);
  if (sources.length !== 1) report(site, "image.source", [at, "exactly one of image_url, slack_file is needed"]);
};

/** https://docs.slack.dev/reference/block-kit/block-elements/image-element */
export const imageElement: Check = all(object({ type: must(word("image")), ...source }), oneImage);

/** https://docs.slack.dev/reference/block-kit/blocks/image-block, without its block_id */
export const imageBlock = { ...source, title: may(plain("image.title")) };
export const imageSource: Check = oneImage;
