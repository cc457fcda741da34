import Foundation

/// The browser of whoever sits at the terminal.
enum WebBrowser {
    /// Opens a page, or says where it is. Nobody waits for the browser.
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
            // 127 is what env says of a program that is not there.
            if process.terminationStatus != 0 { Output.error("note: no browser could be opened; the page is \(url)") }
        }
        do { try process.run() } catch { Output.error("note: no browser could be opened; the page is \(url)") }
    }
}
