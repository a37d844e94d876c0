/**
 * `npm start`, `npm test` and their siblings: installs and builds what is missing, then runs the command.
 * Plain Node without dependencies, and in syntax that an old Node can still read, so that it can say what it needs.
 */
const needed = [20, 19];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  console.error(`Postern needs Node ${needed.join('.')} or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}

const { runCommand } = await import('./lib/commands.mjs');
process.exitCode = await runCommand(process.argv[2], process.argv.slice(3));
