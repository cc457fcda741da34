internal import AppStoreModels
internal import Basics

// Groups of customers. Only the sandbox has them.

extension Store {
    /// The group that sandbox customers without a group belong to, so that the endpoints can be tested.
    package static let placeholderGroup = "900000000000000000"
    /// The only member of the placeholder group.
    static let placeholderMember = "700000000000000000"
    static let maximumGroupMembers = 100

    func customerGroups(_ request: APIRequest) throws(APIFailure) -> APIResponse {
        let customer = try account(request)
        let groups =
            customer.groups.isEmpty
            ? [placeholder]
            : customer.groups.map { group in
                // The store stores one role for all products.
                Self.group(group.id, group.isOrganization ? roles { _ in group.isAdministrator } : nil)
            }
        return .object([("groups", .array(groups))])
    }

    /// The placeholder group: an organization. The customer is administrator of the first product only.
    private var placeholder: APIBody { Self.group(Self.placeholderGroup, roles { $0 == 0 }) }

    private static func group(_ id: String, _ roles: APIBody?) -> APIBody {
        let type = roles == nil ? GroupType.consumer : .organization
        return .object([("groupId", .string(id)), ("groupType", .string(type.rawValue)), ("roles", roles)])
    }

    private func roles(_ isAdministrator: (Int) -> Bool) -> APIBody {
        let subscriptions = catalogue.products.filter { $0.subscription != nil }
        return .array(
            subscriptions.enumerated().map { index, product in
                let role = isAdministrator(index) ? GroupRole.admin : .none
                return .object([("productId", .string(product.id)), ("role", .string(role.rawValue))])
            })
    }

    /// Returns the members of a group by ascending identifier.
    func groupMembers(_ request: APIRequest) throws(APIFailure) -> APIResponse {
        let group = request.path["groupId"] ?? ""
        guard group.isDigits(upTo: 32) else {
            throw APIFailure(.invalidGroupId, "A group's identifier is a number.")
        }
        let query = try QueryParameters(request.query)
        let limit = try query.int("limit", in: 1...Int64(Self.maximumGroupMembers), or: .invalidLimit)
        let text = try query.string("paginationToken", or: .invalidPaginationToken)
        var members = customers.values.filter { $0.groups.contains { $0.id == group } }.map(\.appTransactionID)
        if group == Self.placeholderGroup, members.isEmpty { members = [Self.placeholderMember] }
        guard !members.isEmpty else { throw APIFailure(.groupNotFound, "There is no such group.") }
        members.sort()
        if let text {
            guard let token = PageToken(text, boundTo: ["group", group]) else {
                throw APIFailure(.invalidPaginationToken, "The token is invalid, or belongs to another group.")
            }
            members.removeAll { Int64($0).map { $0 <= token.position } ?? false }
        }
        let page = members.prefix(Int(limit ?? Int64(Self.maximumGroupMembers)))
        let hasMore = page.count < members.count
        let token = hasMore ? page.last.flatMap { Int64($0) }.map { PageToken(position: $0) } : nil
        return .object([
            ("members", .array(page.map { .object([("appTransactionId", .string($0))]) })),
            ("paginationToken", token.map { .string($0.text(boundTo: ["group", group])) }),
            ("hasMore", .bool(hasMore)),
        ])
    }
}
