import Foundation
import RecordStore

@testable import CommandLineTool

extension Harness {
  /// The condition of a query as people write it.
  static let expression = Harness("expression", maximumByteCount: 2048, errors: [ExpressionError.self]) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    do {
      let expression = try ExpressionParser.parse(text)
      let catalogue = ExpressionHarness.catalogue
      _ = try ExpressionResolver(catalogue: catalogue, entity: catalogue.entities[0]).filter(expression)
    } catch let error as ExpressionError {
      try promise((1...text.count + 1).contains(error.column), "an error stands outside of its text: \(error)")
      _ = error.failure(of: text)
      throw error
    }
  }
}

private enum ExpressionHarness {
  /// A field of every type, a list, and two ways to follow.
  static let catalogue = Catalogue(entities: [
    CatalogueEntity(
      number: 0, name: "Item",
      fields: FieldType.allCases.enumerated().map { ordinal, type in
        CatalogueField(
          ordinal: ordinal, name: "\(type)", type: type, isOptional: true,
          destination: type == .reference ? "Item" : nil)
      },
      relationships: [
        CatalogueRelationship(
          name: "items", destination: "Item", isToMany: true, isOptional: true, deleteRule: .nullify, inverse: nil,
          storage: .inverse(entity: 0, ordinal: FieldType.allCases.count - 1))
      ])
  ])
}
