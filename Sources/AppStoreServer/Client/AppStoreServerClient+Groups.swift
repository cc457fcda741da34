public import AppStoreModels

extension AppStoreServerClient {
    /// Returns the groups that a customer belongs to. Currently sandbox only. Apple's page: *Get Customer Groups*.
    ///
    /// A customer without groups gets a placeholder in the sandbox: the organization `900000000000000000`, whose only
    /// member is `700000000000000000`.
    ///
    /// Error codes: 4000006 and 4040010.
    ///
    /// - Parameter anyTransactionID: Any transaction, original transaction or app transaction of the customer.
    public func customerGroups(
        of anyTransactionID: String
    ) async throws(AppStoreServerError) -> GetCustomerGroupsResponse {
        try await response(.customerGroups, [anyTransactionID])
    }

    /// Returns the customers that belong to a group. Currently sandbox only. Apple's page: *Get Group Members*.
    ///
    /// Error codes: 4000004, 4000014, 4000225 and 4040022.
    ///
    /// - Parameters:
    ///   - groupID: The group.
    ///   - limit: The maximum number of members on a page, up to 100; nil for the App Store's default.
    ///   - paginationToken: The token to continue from; nil for the beginning.
    public func groupMembers(
        of groupID: String, limit: Int? = nil, after paginationToken: String? = nil
    ) -> AppStorePages<GetGroupMembersResponse> {
        AppStorePages(endpoint: .groupMembers, first: paginationToken) { token throws(AppStoreServerError) in
            let query = parameter("paginationToken", token) + parameter("limit", limit.map(String.init))
            return try await response(.groupMembers, [groupID], query: query)
        }
    }
}
