/**
 * `npm start`, `npm test` and their siblings: installs and builds what is missing, then runs the command.
 * Plain Node without dependencies, and in syntax that an old Node can still read, so that it can say what it needs.
 */
const neededMajor = 20;
const neededMinor = 19;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  console.error(`Postern needs Node ${neededMajor}.${neededMinor} or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}

const { runCommand } = await import('./lib/commands.mjs');
process.exitCode = await runCommand(process.argv[2], process.argv.slice(3));
