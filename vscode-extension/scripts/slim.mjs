// What the bundles leave out of their libraries. Every name here must be there to be left out: after an update of a
// library that moved things, the build fails instead of growing.
import path from "node:path";

/** Features of the protocol that our server does not offer. They are not announced to it either. */
const FEATURES = [
  "callHierarchy", "colorProvider", "diagnostic", "fileOperations", "formatting", "inlineCompletion", "inlineValue",
  "linkedEditingRange", "notebook", "semanticTokens", "signatureHelp", "typeHierarchy",
];
const NO_FEATURE = `
class Nothing { getState() { return { kind: "static" }; } fillClientCapabilities() {} initialize() {} clear() {} }
const known = {};
module.exports = new Proxy(known, { get: (_, name) => (known[name] ??= class extends Nothing {}) });`;

/** Whole packages, and what stands in for them. */
const PACKAGES = {
  // VS Code compares its version with "engines" in package.json before it loads us; the library need not do it again.
  "semver/functions/parse": "module.exports = () => ({ prerelease: [] });",
  "semver/functions/satisfies": "module.exports = () => true;",
  // Bare addresses are not made links.
  "linkify-it": "export class LinkifyIt {}",
};

/** Packages that the browser makes needless: a file of ours does the same. */
const FILES = { entities: "webview/base/entities.ts" };

/** An esbuild plugin for a bundle that uses all of these packages: "vscode-languageclient", or "markdown-it". */
export function slim(library) {
  const wanted = library === "markdown-it" ? ["linkify-it", "entities"] : [...FEATURES, ...Object.keys(PACKAGES).filter((name) => name.startsWith("semver"))];
  return {
    name: "slim",
    setup(build) {
      const left = new Set();
      build.onStart(() => { left.clear(); });
      build.onResolve({ filter: /^(?:\.\/\w+|semver\/.*|linkify-it|entities)$/ }, ({ path: name, importer }) => {
        const short = name.replace(/^\.\//u, "");
        if (!importer.includes(`${path.sep}${library}${path.sep}`) || !wanted.includes(short)) return undefined;
        left.add(short);
        return short in FILES ? { path: path.join(import.meta.dirname, "..", FILES[short]) } : { path: short, namespace: "slim" };
      });
      build.onLoad({ filter: /.*/, namespace: "slim" }, ({ path: name }) => ({ contents: PACKAGES[name] ?? NO_FEATURE }));
      build.onEnd(() => {
        const missing = wanted.filter((name) => !left.has(name));
        return { errors: missing.map((name) => ({ text: `${library} has no ${name} that could be left out` })) };
      });
    },
  };
}
