import Foundation
import FuzzSupport
import StoreSimulator

/// Reads a scenario twice. The results must be the same, and a refusal must have a problem.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzScenarios(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: input(start, count), as: UTF8.self)
    let (first, second) = (read(text), read(text))
    switch (first, second) {
    case (.success(let scenario), .success(let again)):
        Property.require(scenario.text == text, "a scenario has the text that it was read from")
        Property.require(
            scenario.name == again.name && scenario.description == again.description,
            "a scenario is read differently the second time")
    case (.failure(let error), .failure(let again)):
        Property.require(!error.problems.isEmpty, "a scenario is refused without a reason")
        Property.require(error == again, "a scenario has other problems the second time")
    default: Property.fail("a scenario is accepted once and refused once")
    }
    return 0
}

private func read(_ text: String) -> Result<Scenario, ScenarioError> {
    do throws(ScenarioError) { return .success(try Scenario(yaml: text)) } catch { return .failure(error) }
}
