// A schema is one line where it can be: it is read by programs.
// swift-format-ignore-file
extension APIDescription {
    static let lookup = Subject(paths: #"""
          /v1/transactions/{id}:
            get:
              operationId: getTransaction
              tags: [support]
              summary: Whose a transaction is
              description: Needs the scope support:read.
              parameters: [{name: id, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 64}}, {$ref: "#/components/parameters/app"}, {$ref: "#/components/parameters/environment"}]
              responses:
                "200":
                  description: The transaction
                  content: {application/json: {schema: {$ref: "#/components/schemas/Transaction"}}}
                default: {$ref: "#/components/responses/error"}
          /v1/orders/{id}:
            get:
              operationId: getOrder
              tags: [support]
              summary: Whose an order is; asks the App Store, which knows orders in production only
              description: Needs the scope support:read.
              parameters: [{name: id, in: path, required: true, schema: {type: string, minLength: 1, maxLength: 64}, description: The number on the receipt that customers get by mail}, {$ref: "#/components/parameters/app"}]
              responses:
                "200":
                  description: The order
                  content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
                default: {$ref: "#/components/responses/error"}

        """#, schemas: #"""
            Transaction:
              type: object
              required: [object, transaction_id, original_transaction_id, app, environment, product_id, type, purchase_date, signed_date, customers]
              properties: {object: {const: transaction}, transaction_id: {type: string}, original_transaction_id: {type: string}, app: {type: string}, environment: {type: string}, product_id: {type: string}, type: {type: string}, purchase_date: {$ref: "#/components/schemas/Instant"}, expires_date: {$ref: "#/components/schemas/Instant"}, revocation_date: {$ref: "#/components/schemas/Instant"}, signed_date: {$ref: "#/components/schemas/Instant"}, customers: {type: array, items: {type: string}}}
            Order:
              type: object
              required: [object, order_id, app, environment, customers, transactions]
              properties: {object: {const: order}, order_id: {type: string}, app: {type: string}, environment: {type: string}, customers: {type: array, items: {type: string}}, transactions: {type: array, items: {$ref: "#/components/schemas/Transaction"}}}

        """#)
}
