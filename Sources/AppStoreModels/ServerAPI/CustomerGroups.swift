/// The groups in which a customer has seats. Apple's page: `GetCustomerGroupsResponse` (1.22, sandbox). Documented
/// only; not in Apple's libraries.
public struct GetCustomerGroupsResponse: Sendable, Hashable, Codable {
    /// The groups; may be empty.
    public var groups: [GroupEntry]

    /// Creates the value from its parts.
    public init(groups: [GroupEntry]) {
        self.groups = groups
    }
}

/// One group. Apple's page: `GroupEntry`.
public struct GroupEntry: Sendable, Hashable, Codable {
    /// The identifier of the group; unique within the app.
    public var groupId: String
    /// The type of the group.
    public var groupType: GroupType
    /// The customer's role for each product. Absent for consumer groups.
    public var roles: [RoleEntry]?

    /// Creates the value from its parts.
    public init(groupId: String, groupType: GroupType, roles: [RoleEntry]? = nil) {
        self.groupId = groupId
        self.groupType = groupType
        self.roles = roles
    }
}

/// A customer's role for a product. Apple's page: `RoleEntry`.
public struct RoleEntry: Sendable, Hashable, Codable {
    /// The product identifier.
    public var productId: String
    /// The role.
    public var role: GroupRole

    /// Creates the value from its parts.
    public init(productId: String, role: GroupRole) {
        self.productId = productId
        self.role = role
    }
}

/// One page of the members of a group. Apple's page: `GetGroupMembersResponse` (1.22, sandbox).
public struct GetGroupMembersResponse: Sendable, Hashable, Codable {
    /// The members.
    public var members: [GroupMemberEntry]
    /// The token of the next page, if there is one.
    public var paginationToken: String?
    /// Whether there is another page.
    public var hasMore: Bool

    /// Creates the value from its parts.
    public init(members: [GroupMemberEntry], paginationToken: String? = nil, hasMore: Bool) {
        self.members = members
        self.paginationToken = paginationToken
        self.hasMore = hasMore
    }
}

/// One member of a group. Apple's page: `GroupMemberEntry`.
public struct GroupMemberEntry: Sendable, Hashable, Codable {
    /// The app transaction identifier of the member.
    public var appTransactionId: String

    /// Creates the value from its parts.
    public init(appTransactionId: String) {
        self.appTransactionId = appTransactionId
    }
}

/// The type of a group. Apple's page: `GroupType`.
public struct GroupType: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The seats come from volume purchasing.
    public static let organization = Self(rawValue: "ORGANIZATION")
    /// The seats come from a purchase for a group.
    public static let consumer = Self(rawValue: "CONSUMER")
}

/// The role of a member in a group. Apple's page: `Role`.
public struct GroupRole: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The member administers the group for a product.
    public static let admin = Self(rawValue: "ADMIN")
    /// The member has a seat but no other rights.
    public static let none = Self(rawValue: "NONE")
}
