import Foundation

/// The user's web browser.
enum WebBrowser {
    /// Opens a page without waiting for the browser. Prints the URL if no browser can be opened.
    static func open(_ url: String) {
        #if os(macOS)
            let program = "open"
        #else
            let program = "xdg-open"
        #endif
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program, url]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { process in
            // `env` exits with 127 if the program does not exist.
            if process.terminationStatus != 0 { Output.error("note: no browser could be opened; the page is \(url)") }
        }
        do { try process.run() } catch { Output.error("note: no browser could be opened; the page is \(url)") }
    }
}
