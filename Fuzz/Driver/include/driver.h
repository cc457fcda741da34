// SwiftPM makes the function `MODULE_main` the entry point of an executable; the compiler writes it where there is a
// `main.swift` or `@main`. The harnesses have neither: libFuzzer calls them. So the entry points are here.
