/** Hardens the process. Every entry point imports this file first. */

// Files and folders that the program makes are only for its user, whatever the shell's umask is.
process.umask(0o077);

// Without a listener, Node answers this signal by opening its inspector, which runs any code that it receives.
process.on('SIGUSR1', () => {});
