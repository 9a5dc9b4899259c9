import { expect, test } from "vitest";
import { cannotBeAllowed } from "./shared-fields.ts";

test.each(["min_p", "logit_bias", "repetition_penalty", "chat_template_kwargs"])(
  "%s can be allowed",
  (name) => expect(cannotBeAllowed(name)).toBe(false),
);

test.each([
  ..."tools functions tool_resources mcp_servers plugins web_search_options image_url callback_uri".split(
    " ",
  ),
  ..."service_tier speed models provider n n_predict max_new_tokens previous_response_id file_ids".split(" "),
  ..."messages input system extra_body betas __proto__ constructor A a.b".split(" "),
])("%s can never be allowed", (name) => expect(cannotBeAllowed(name)).toBe(true));
