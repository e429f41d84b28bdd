import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  { ignores: ["dist/", "server/", "src/protocol/generated.ts"] },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off", // whatever disposes is a vscode.Disposable
      "no-restricted-syntax": [
        "error",
        { selector: "MemberExpression[property.name=/^show(Error|Warning|Information)Message$/]", message: "Notifications act on links: use base/tell.ts." },
        { selector: "MemberExpression[property.name='MarkdownString']", message: "Texts of strangers are shown plain." },
      ],
      "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ["src/base/tell.ts"], rules: { "no-restricted-syntax": "off" } },
  {
    files: ["**/*.mjs"],
    languageOptions: { globals: { console: "readonly", process: "readonly", URL: "readonly" } },
  },
);
