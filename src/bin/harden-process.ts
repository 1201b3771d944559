/** Sets up the process before anything else of a program loads: every entry point imports this file first. */

// Files and folders that the program makes are its user's alone, whatever the shell's umask is.
process.umask(0o077);
