// Set by the build.
/** The paths of the shell's files, relative to the app's directory, and a name for this set of them. */
declare const SHELL: { version: string; files: string[] }
