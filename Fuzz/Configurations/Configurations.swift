import CounterfoilServer
import Foundation
import FuzzSupport

/// A configuration, or every reason why it is none, each time the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfigurations(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: input(start, count), as: UTF8.self)
    let (first, second) = (problems(text), problems(text))
    Property.require(first == second, "a configuration is refused for other reasons the second time")
    Property.require(first.map { !$0.isEmpty } ?? true, "a configuration is refused for no reason")
    return 0
}

/// What is wrong with a text; nil when nothing is.
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
