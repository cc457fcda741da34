import Testing

@testable import AppStoreModels

extension NotificationKind: CustomTestStringConvertible {
    package var testDescription: String { name }
}

@Suite("The table of notification kinds")
struct NotificationKindTests {
    @Test("has each pair once")
    func isUnambiguous() {
        #expect(Set(NotificationKind.all.map(\.name)).count == NotificationKind.all.count)
    }

    @Test("finds each row", arguments: NotificationKind.all)
    func findsRow(_ kind: NotificationKind) {
        #expect(NotificationKind.exactly(kind.type, kind.subtype) == kind)
        #expect(NotificationKind.closest(to: kind.type, kind.subtype) == kind)
        #expect(kind.name == kind.type.rawValue + (kind.subtype.map { ".\($0.rawValue)" } ?? ""))
    }

    @Test("knows what a type means with another subtype", arguments: NotificationKind.all)
    func fallsBack(_ kind: NotificationKind) throws {
        let later = NotificationSubtype(rawValue: "LATER")
        #expect(NotificationKind.exactly(kind.type, later) == nil)
        let closest = try #require(NotificationKind.closest(to: kind.type, later))
        #expect(closest.type == kind.type)
        #expect(closest.subtype == nil)
        // Otherwise webhooks could tell of an event that nobody can ask for.
        #expect(NotificationKind.all.contains { $0.event == closest.event && $0.compatible == closest.compatible })
    }

    @Test("has no row for a type that it does not know")
    func unknownType() {
        #expect(NotificationKind.closest(to: .init(rawValue: "LATER"), .initialBuy) == nil)
    }

    @Test("gives kinds that share an event the same compatible names", arguments: NotificationKind.all)
    func sharesNames(_ kind: NotificationKind) {
        for other in NotificationKind.all where other.event == kind.event {
            #expect(other.compatible == kind.compatible, "\(other.name)")
        }
    }

    @Test("has sentences whose places can be filled", arguments: NotificationKind.all + NotificationKind.withoutSubtype)
    func hasSentence(_ kind: NotificationKind) {
        guard let sentence = kind.sentence else { return }
        let alwaysKnown: Set<NotificationKind.Place> = [.product, .nextProduct]
        var isOptional = false
        for part in sentence.split(omittingEmptySubsequences: false, whereSeparator: { "[]".contains($0) }) {
            defer { isOptional.toggle() }
            for piece in part.matches(of: /\{([^}]*)\}/) {
                let place = NotificationKind.Place(rawValue: String(piece.1))
                #expect(place != nil, "\(piece.0) is no place")
                if let place, !isOptional { #expect(alwaysKnown.contains(place), "\(piece.0) needs brackets") }
            }
        }
        #expect(isOptional, "the brackets are not in pairs")
        #expect(sentence.hasSuffix("."))
    }
}
