import { block } from "./block.ts";
import { type Check, may, must, pattern, someString, text } from "./shape.ts";
import { plain } from "./text-objects.ts";

const secure = pattern(/^https:\/\/\S+$/, "https://example.com/video");

/** https://docs.slack.dev/reference/block-kit/blocks/video-block */
export const video: Check = block("video", {
  video_url: must(secure),
  thumbnail_url: must(someString),
  alt_text: must(someString),
  title: must(plain("video.title")),
  title_url: may(secure),
  author_name: may(text("video.author")),
  provider_name: may(someString),
  provider_icon_url: may(someString),
  description: may(plain("text.text")),
});
