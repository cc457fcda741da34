/// A page of a list of the server or the simulator.
struct ListPage<Item: Decodable>: Decodable {
    let items: [Item]
    let nextPage: String?

    enum CodingKeys: String, CodingKey {
        case items
        case nextPage = "next_page"
    }
}

/// An error response of the server or the simulator.
struct ErrorResponse: Decodable {
    let code, message: String
}
