import Foundation
import FuzzSupport
import StoreSimulator

/// A scenario, or every reason why it is none, each time the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzScenarios(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: input(start, count), as: UTF8.self)
    let (first, second) = (read(text), read(text))
    switch (first, second) {
    case (.success(let scenario), .success(let again)):
        Property.require(scenario.text == text, "the text of a scenario is another one")
        Property.require(
            scenario.name == again.name && scenario.description == again.description,
            "a scenario is read otherwise the second time")
    case (.failure(let error), .failure(let again)):
        Property.require(!error.problems.isEmpty, "a scenario is refused for no reason")
        Property.require(error == again, "a scenario is refused for other reasons the second time")
    default: Property.fail("a scenario is read once and refused once")
    }
    return 0
}

private func read(_ text: String) -> Result<Scenario, ScenarioError> {
    do throws(ScenarioError) { return .success(try Scenario(yaml: text)) } catch { return .failure(error) }
}
