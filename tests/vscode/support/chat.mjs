// The chat of a window, as a person uses it; and answers that take their time.

const words = (count) => Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
export const SLOW = { text: words(120), chunk: 16, delay_s: 0.15 };
/** It never ends by itself. */
export const ENDLESS = { text: words(120), chunk: 8, stall_after: 60 };

/** Open the chat in the side bar; what stands in it. Ask again after a reload, or when it was hidden. */
export async function theChat(window) {
  await window.command("Pi: Open Chat");
  const chat = await window.webview();
  await chat.locator(".item").first().waitFor();
  return chat;
}

/** What one does in the chat, which may be another one each time. */
export function inChat(chat) {
  const field = () => chat().locator("textarea");
  return {
    field,
    say: async (text) => {
      await field().fill(text);
      await field().press("Enter");
    },
    idle: () => chat().locator("button.stop").waitFor({ state: "hidden" }),
    item: (kind, text) => chat().locator(`.item.${kind}`, { hasText: text }).last(),
  };
}
