// What a scripted model says, as Anthropic's messages stream it: numbered blocks of text, thoughts and calls, each begun, filled and ended.
import type { Step } from "./scripted_model";

export class AnthropicStream {
  private index = -1;
  private open?: string;
  private reason = "end_turn";
  private usage = { input_tokens: 1, output_tokens: 1 };

  /** The first event. */
  begin(): string {
    const message = { type: "message", id: "msg_1", role: "assistant", model: "scripted", content: [], stop_reason: null, usage: this.usage };
    return event({ type: "message_start", message });
  }

  /** The events of one step. */
  step(step: Step): string {
    if ("text" in step) return this.block("text", { type: "text", text: "" }) + this.delta({ type: "text_delta", text: step.text });
    if ("reasoning" in step)
      return this.block("thinking", { type: "thinking", thinking: "" }) + this.delta({ type: "thinking_delta", thinking: step.reasoning });
    if ("call" in step) {
      const { index = 0, id = `toolu_${index}`, name, arguments: text = "" } = step.call;
      const begun = this.block(`call ${index}`, { type: "tool_use", id, name, input: {} });
      return begun + this.delta({ type: "input_json_delta", partial_json: text });
    }
    if ("usage" in step) this.usage = { input_tokens: step.usage.prompt_tokens, output_tokens: step.usage.completion_tokens };
    else if ("finish" in step) this.reason = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens" }[step.finish] ?? step.finish;
    else throw new Error("this step has no event");
    return "";
  }

  /** What ends an answer. */
  end(): string {
    return (
      this.close() +
      event({ type: "message_delta", delta: { stop_reason: this.reason, stop_sequence: null }, usage: this.usage }) +
      event({ type: "message_stop" })
    );
  }

  /** Goes on in this block, or ends the last one and begins it. */
  private block(name: string, content_block: object): string {
    if (this.open === name) return "";
    const closed = this.close();
    this.open = name;
    this.index += 1;
    return closed + event({ type: "content_block_start", index: this.index, content_block });
  }

  private delta(delta: object): string {
    return event({ type: "content_block_delta", index: this.index, delta });
  }

  private close(): string {
    if (!this.open) return "";
    this.open = undefined;
    return event({ type: "content_block_stop", index: this.index });
  }
}

const event = (data: { type: string; [field: string]: unknown }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
