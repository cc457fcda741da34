import Testing

@testable import AppStoreModels

extension NotificationKind: CustomTestStringConvertible {
    package var testDescription: String { name }
}

@Suite struct `The table of notification kinds` {
    @Test func `Every pair of notification type and subtype is listed once`() {
        #expect(Set(NotificationKind.all.map(\.name)).count == NotificationKind.all.count)
    }

    @Test(arguments: NotificationKind.all)
    func `Every notification kind is found by its type and subtype`(_ kind: NotificationKind) {
        #expect(NotificationKind.exactly(kind.type, kind.subtype) == kind)
        #expect(NotificationKind.closest(to: kind.type, kind.subtype) == kind)
        #expect(kind.name == kind.type.rawValue + (kind.subtype.map { ".\($0.rawValue)" } ?? ""))
    }

    @Test(arguments: NotificationKind.all.filter { !NotificationKind.typesDefinedBySubtype.contains($0.type) })
    func `An unknown subtype falls back to the type without a subtype`(_ kind: NotificationKind) throws {
        let later = NotificationSubtype(rawValue: "LATER")
        #expect(NotificationKind.exactly(kind.type, later) == nil)
        let closest = try #require(NotificationKind.closest(to: kind.type, later))
        #expect(closest.type == kind.type)
        #expect(closest.subtype == nil)
        // Otherwise webhooks could send an event type that no endpoint can subscribe to.
        #expect(NotificationKind.all.contains { $0.event == closest.event && $0.compatible == closest.compatible })
    }

    @Test(arguments: NotificationKind.typesDefinedBySubtype)
    func `An unknown subtype of a type that is meaningless alone finds no kind`(_ type: NotificationTypeV2) {
        #expect(NotificationKind.closest(to: type, .init(rawValue: "LATER")) == nil)
        #expect(NotificationKind.closest(to: type, nil) != nil)
    }

    @Test(arguments: [nil, NotificationSubtype(rawValue: "LATER")])
    func `A migration is also found by its name in Apple's changelog`(_ subtype: NotificationSubtype?) throws {
        let kind = try #require(NotificationKind.closest(to: .init(rawValue: "MIGRATE"), subtype))
        #expect(kind == NotificationKind.exactly(.migration, nil))
    }

    @Test func `An unknown type finds no notification kind`() {
        #expect(NotificationKind.closest(to: .init(rawValue: "LATER"), .initialBuy) == nil)
    }

    @Test(arguments: NotificationKind.all)
    func `Notification kinds with the same event have the same compatible names`(_ kind: NotificationKind) {
        for other in NotificationKind.all where other.event == kind.event {
            #expect(other.compatible == kind.compatible, "\(other.name)")
        }
    }

    @Test(arguments: NotificationKind.all + NotificationKind.withoutSubtype)
    func `Every placeholder in a notification's sentence is known, and optional ones are in brackets`(
        _ kind: NotificationKind
    ) {
        guard let sentence = kind.sentence else { return }
        let alwaysKnown: Set<NotificationKind.Placeholder> = [.product, .nextProduct, .lossCause, .payer]
        var isOptional = false
        for part in sentence.split(omittingEmptySubsequences: false, whereSeparator: { "[]".contains($0) }) {
            defer { isOptional.toggle() }
            for piece in part.matches(of: /\{([^}]*)\}/) {
                let place = NotificationKind.Placeholder(rawValue: String(piece.1))
                #expect(place != nil, "\(piece.0) is not a known placeholder")
                if let place, !isOptional { #expect(alwaysKnown.contains(place), "\(piece.0) needs brackets") }
            }
        }
        #expect(isOptional, "the brackets are not balanced")
        #expect(sentence.hasSuffix("."))
    }
}
