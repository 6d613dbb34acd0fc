// What the harness puts into OpenCode, which has no command hooks: it runs a command at each event and takes its context.
// HOOK and RECORD are lists of words; the event's name is put behind them.
import { spawnSync } from "node:child_process"

const HOOK = __HOOK__
const RECORD = __RECORD__
const WORDS = { "session.created": "start", "chat.message": "prompt", "tool.execute.after": "tool", "session.idle": "stop" }

const run = (event, payload) => {
  const input = JSON.stringify(payload)
  if (RECORD.length) spawnSync(RECORD[0], [...RECORD.slice(1), event], { input })
  if (!HOOK.length) return ""
  const done = spawnSync(HOOK[0], [...HOOK.slice(1), WORDS[event]], { input, encoding: "utf8" })
  try {
    const said = JSON.parse(done.stdout)
    return said.additionalContext || said.hookSpecificOutput?.additionalContext || ""
  } catch {
    return ""
  }
}

export const Remanence = async ({ directory }) => {
  const parents = {}
  const answers = {}
  const roles = {}
  const common = (id) => ({ session_id: id, cwd: directory, ...(parents[id] ? { agent_id: id } : {}) })
  return {
    event: async ({ event }) => {
      const about = event.properties || {}
      if (event.type === "session.created") {
        if (about.info.parentID) parents[about.info.id] = about.info.parentID
        run(event.type, { ...common(about.info.id), hook_event_name: event.type, source: "startup" })
      }
      if (event.type === "message.updated") roles[about.info.id] = about.info.role
      if (event.type === "message.part.updated" && about.part.type === "text" && roles[about.part.messageID] === "assistant")
        answers[about.part.sessionID] = about.part.text
      if (event.type === "session.idle")
        run(event.type, {
          ...common(about.sessionID),
          hook_event_name: event.type,
          last_assistant_message: answers[about.sessionID] || "",
        })
    },
    "chat.message": async (input, output) => {
      const prompt = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
      const context = run("chat.message", {
        ...common(input.sessionID),
        hook_event_name: "chat.message",
        prompt_id: output.message.id,
        prompt,
      })
      if (context)
        output.parts.push({
          id: `prt_${output.message.id.slice(4)}remanence`,
          sessionID: input.sessionID,
          messageID: output.message.id,
          type: "text",
          synthetic: true,
          text: context,
        })
    },
    "tool.execute.after": async (input, output) => {
      run("tool.execute.after", {
        ...common(input.sessionID),
        hook_event_name: "tool.execute.after",
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: input.args,
        tool_response: { output: output.output, exit_code: output.metadata?.exit },
      })
    },
  }
}
