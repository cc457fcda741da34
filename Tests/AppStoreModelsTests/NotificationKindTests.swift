import Testing

@testable import AppStoreModels

extension NotificationKind: CustomTestStringConvertible {
    package var testDescription: String { name }
}

@Suite struct `The table of notification kinds` {
    @Test func `has each pair once`() {
        #expect(Set(NotificationKind.all.map(\.name)).count == NotificationKind.all.count)
    }

    @Test(arguments: NotificationKind.all)
    func `finds each row`(_ kind: NotificationKind) {
        #expect(NotificationKind.exactly(kind.type, kind.subtype) == kind)
        #expect(NotificationKind.closest(to: kind.type, kind.subtype) == kind)
        #expect(kind.name == kind.type.rawValue + (kind.subtype.map { ".\($0.rawValue)" } ?? ""))
    }

    @Test(arguments: NotificationKind.all.filter { !NotificationKind.saysLittleAlone.contains($0.type) })
    func `knows what a type means with another subtype`(_ kind: NotificationKind) throws {
        let later = NotificationSubtype(rawValue: "LATER")
        #expect(NotificationKind.exactly(kind.type, later) == nil)
        let closest = try #require(NotificationKind.closest(to: kind.type, later))
        #expect(closest.type == kind.type)
        #expect(closest.subtype == nil)
        // Otherwise webhooks could tell of an event that nobody can ask for.
        #expect(NotificationKind.all.contains { $0.event == closest.event && $0.compatible == closest.compatible })
    }

    @Test(arguments: NotificationKind.saysLittleAlone)
    func `does not guess from a subtype that it does not know what a type means alone`(_ type: NotificationTypeV2) {
        #expect(NotificationKind.closest(to: type, .init(rawValue: "LATER")) == nil)
        #expect(NotificationKind.closest(to: type, nil) != nil)
    }

    @Test func `has no row for a type that it does not know`() {
        #expect(NotificationKind.closest(to: .init(rawValue: "LATER"), .initialBuy) == nil)
    }

    @Test(arguments: NotificationKind.all)
    func `gives kinds that share an event the same compatible names`(_ kind: NotificationKind) {
        for other in NotificationKind.all where other.event == kind.event {
            #expect(other.compatible == kind.compatible, "\(other.name)")
        }
    }

    @Test(arguments: NotificationKind.all + NotificationKind.withoutSubtype)
    func `has sentences whose places can be filled`(_ kind: NotificationKind) {
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
