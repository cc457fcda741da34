/// A field of a form, for the template `field`.
package struct FormField: Sendable {
    package enum Kind: Sendable {
        case hidden, text, number, password, file, area
        case choice([(value: String, title: String)])
        /// A check box, with the value that it sends.
        case box(String)

        /// The value of a field without one: browsers choose the first option.
        fileprivate var initialValue: String {
            if case .choice(let options) = self { options.first?.value ?? "" } else { "" }
        }
    }

    package var name: String
    package var label: String
    package var kind: Kind
    package var value: String
    package var hint: String?
    package var isRequired: Bool
    /// Whether the sent value was rejected.
    package var isWrong = false

    package init(
        _ name: String, _ label: String = "", _ kind: Kind = .text, value: String? = nil, hint: String? = nil,
        isRequired: Bool = false
    ) {
        (self.name, self.label, self.kind) = (name, label, kind)
        (self.value, self.hint, self.isRequired) = (value ?? kind.initialValue, hint, isRequired)
    }

    package static func hidden(_ name: String, _ value: String) -> FormField {
        FormField(name, "", .hidden, value: value)
    }

    /// Returns a hidden field for each parameter.
    package static func hidden(_ parameters: [(String, String)]) -> [FormField] {
        parameters.map { hidden($0.0, $0.1) }
    }

    /// - Parameter id: The identifier of the field's element, unique on the page.
    package func values(id: String) -> PageValue {
        var values: [String: PageValue] = [
            "fieldID": .exact(id), "fieldName": .exact(name), "fieldLabel": .text(label), "fieldHint": .optional(hint),
            "fieldValue": .exact(value), "isWrong": .flag(isWrong), "isRequired": .flag(isRequired), "isHidden": false,
            "input": .nothing, "isArea": false, "choice": .nothing, "box": .nothing,
        ]
        switch kind {
        case .hidden: values["isHidden"] = true
        case .text: values["input"] = Self.input("text")
        case .number: values["input"] = Self.input("text", isNumber: true)
        case .password: values["input"] = Self.input("password")
        case .file: values["input"] = Self.input("file")
        case .area: values["isArea"] = true
        case .choice(let options):
            values["choice"] = [
                "options": .list(
                    options.map { option in
                        [
                            "optionValue": .exact(option.value), "optionTitle": .text(option.title),
                            "isChosen": .flag(option.value == value),
                        ]
                    })
            ]
        case .box(let on): values["box"] = ["boxValue": .exact(on), "isChosen": .flag(value == on)]
        }
        return .object(values)
    }

    private static func input(_ type: String, isNumber: Bool = false) -> PageValue {
        ["inputType": .text(type), "isNumber": .flag(isNumber)]
    }
}
