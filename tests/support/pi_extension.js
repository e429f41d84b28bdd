// What Pi's RPC mode has no command for. Each command takes JSON and notifies JSON: the result, or an error.

export default function (pi) {
  const command = (name, run) =>
    pi.registerCommand(name, {
      description: "for tests",
      handler: async (argument, context) => {
        let answer;
        try {
          answer = (await run(JSON.parse(argument), context)) ?? {};
        } catch (error) {
          answer = { error: String(error?.message ?? error) };
        }
        context.ui.notify(JSON.stringify(answer), "info");
      },
    });

  command("test-navigate", ({ targetId, options }, context) => context.navigateTree(targetId, options));
  command("test-label", ({ entryId, label }) => pi.setLabel(entryId, label ?? undefined));
}
