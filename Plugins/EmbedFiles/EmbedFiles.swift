import Foundation
import PackagePlugin

/// Writes files that are edited as such (scenarios, the example catalogue, API descriptions, templates and assets of
/// web pages) as a Swift source of the target, so that the program includes them and needs no files beside it.
/// `Scripts/embed` writes the source.
@main
struct EmbedFiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let script = context.package.directoryURL.appending(path: "Scripts/embed")
        let output = context.pluginWorkDirectoryURL.appending(path: "Embedded.swift")
        return [
            .buildCommand(
                displayName: "Embedding files in \(target.name)", executable: URL(filePath: "/bin/bash"),
                arguments: [script.path, target.name, output.path],
                inputFiles: [script] + files(in: target.directoryURL), outputFiles: [output])
        ]
    }

    /// The files below a target's folder that `Scripts/embed` reads. They must not be elsewhere: SwiftPM calls a plugin
    /// again only if a file is added to a target's folder or removed from it.
    private func files(in folder: URL) -> [URL] {
        let kinds: Set = ["yaml", "mustache", "css", "js", "svg"]
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        return all.compactMap { $0 as? URL }.filter { kinds.contains($0.pathExtension) }.sorted { $0.path < $1.path }
    }
}
