internal import Yams

extension ConfigurationValue {
    private static let maximumBytes = 1 << 20
    private static let maximumDepth = 16

    /// Parses a YAML document. Aliases, and keys that are not text, are refused.
    package init(yaml text: String) throws(ConfigurationProblems) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw ConfigurationProblems("larger than 1 MiB")
        }
        try Self.checkIndicators(in: text)
        do {
            // The basic resolver treats all scalars as text. Other resolvers match regular expressions against every
            // scalar.
            self = try compose(yaml: text, .basic).map { try Self(node: $0, depth: 1) } ?? .init(.nothing)
        } catch let error as ConfigurationProblems {
            throw error
        } catch {
            throw ConfigurationProblems(yaml: error)
        }
    }

    private init(node: Node, depth: Int) throws {
        let line = node.mark?.line
        guard depth <= Self.maximumDepth else {
            throw ConfigurationProblems("nested deeper than \(Self.maximumDepth) levels", line: line)
        }
        switch node {
        case .scalar(let scalar):
            let isNothing = scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
            self.init(isNothing ? .nothing : .text(scalar.string), line: line)
        case .sequence(let sequence):
            self.init(.list(try sequence.map { try Self(node: $0, depth: depth + 1) }), line: line)
        case .mapping(let mapping):
            var members: [String: ConfigurationValue] = [:]
            for (key, value) in mapping {
                guard case .scalar(let name) = key else {
                    throw ConfigurationProblems("a key is not text", line: key.mark?.line)
                }
                var member = try Self(node: value, depth: depth + 1)
                member.line = key.mark?.line ?? member.line
                guard members.updateValue(member, forKey: name.string) == nil else {
                    throw ConfigurationProblems("the key \(quoted(name.string)) is repeated", line: member.line)
                }
            }
            self.init(.mapping(members), line: line)
        case .alias: throw ConfigurationProblems("aliases are not supported", line: line)
        }
    }

    /// Refuses aliases and keys after a question mark before Yams parses them. Yams compares keys with each other, and
    /// a few lines of nested aliases expand to a key of any size. The check looks at positions where an indicator can
    /// be and ignores quoting, so it may refuse other text. The message says how to change it.
    private static func checkIndicators(in text: String) throws(ConfigurationProblems) {
        /// The last character of the line that is not blank; nil at the start of a line.
        var previous: Unicode.Scalar?
        var (line, isComment) = (1, false)
        var scalars = text.unicodeScalars.makeIterator()
        var next = scalars.next()
        while let scalar = next {
            next = scalars.next()
            switch scalar {
            case "\r", "\n", "\u{85}", "\u{2028}", "\u{2029}":
                if scalar != "\r" || next != "\n" { line += 1 }
                (previous, isComment) = (nil, false)
                continue
            case " ", "\t", "\u{FEFF}": continue
            case "#" where previous == nil: isComment = true
            // A line of a quoted text can begin like a comment, and go on after the text.
            case "\"": isComment = false
            // Not an apostrophe: no name follows the end of a quoted text directly.
            case "'" where !isNameCharacter(next): isComment = false
            case "*" where !isComment && isWhereValueStarts(previous) && isNameCharacter(next):
                throw ConfigurationProblems(
                    "aliases are not supported; text that looks like one can start with another word", line: line)
            case "?" where !isComment && isWhereValueStarts(previous):
                throw ConfigurationProblems(
                    "keys after a question mark are not supported; text can start with another word", line: line)
            default: break
            }
            previous = scalar
        }
    }

    /// Whether a value can start after this character. A question mark is missing here, because it is refused as an
    /// indicator.
    private static func isWhereValueStarts(_ previous: Unicode.Scalar?) -> Bool {
        switch previous {
        case nil, "-", ":", ",", "[", "{": true
        default: false
        }
    }

    private static func isNameCharacter(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar, scalar.isASCII else { return false }
        return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_" || scalar == "-"
    }
}

extension ConfigurationProblems {
    fileprivate init(yaml error: any Error) {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let text = [context?.text, problem].compactMap(\.self).joined(separator: ": ")
            self.init("not YAML: \(text)", line: mark.line)
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.prefix(3).map { quoted($0) }.joined(separator: ", ")
            self.init("repeated keys: \(names)", line: context.mark.line)
        case .reader(let problem, _, _, _): self.init("not YAML: \(problem)")
        default: self.init("not YAML")
        }
    }
}
