/** Of the Node.js that runs the tests: some of what it does by itself differs from one to the next. */
export const nodeMajor = Number.parseInt(process.versions.node, 10);
