import CounterfoilServer
import Foundation
import FuzzSupport

/// Reads a configuration twice. The problems must be the same, and a refusal must have one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfigurations(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: input(start, count), as: UTF8.self)
    let (first, second) = (problems(text), problems(text))
    Property.require(first == second, "a configuration has other problems the second time")
    Property.require(first.map { !$0.isEmpty } ?? true, "a configuration is refused without a reason")
    return 0
}

/// Returns the problems of a configuration; nil if it is valid.
private func problems(_ text: String) -> [String]? {
    do throws(ConfigurationError) {
        _ = try LoadedConfiguration(
            yaml: text, folder: "/nowhere", environment: [:],
            files: ConfigurationFiles { _, _ throws(ConfigurationFiles.Unreadable) in
                throw ConfigurationFiles.Unreadable("does not exist")
            })
        return nil
    } catch { return error.problems.map(\.description) }
}
