// Linked into what runs under AddressSanitizer, also into programs that a test starts with an environment of its own:
// leaks are not looked for, since what Swift keeps for ever on purpose is not told apart.
const char *__asan_default_options(void) { return "detect_leaks=0"; }
