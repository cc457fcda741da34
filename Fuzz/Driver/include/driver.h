// SwiftPM uses the function `MODULE_main` as the entry point of an executable. The compiler generates it for a `main.swift`
// or `@main`. The harnesses have neither, because libFuzzer calls them, so driver.c defines the entry points.
