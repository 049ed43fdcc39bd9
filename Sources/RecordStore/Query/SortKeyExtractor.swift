import LMDB

/// Appends what one record is sorted by, as bytes that `memcmp` orders: the sort keys, then the id, so that the
/// order is total.
final class SortKeyExtractor {
  private struct Component {
    let reader: PathReader
    let isDescending: Bool
    let isForPeople: Bool
  }
  private let components: [Component]

  init(_ sort: [RecordQuery.SortKey], base: CatalogueEntity, entity: CatalogueEntity, in source: QuerySource) throws {
    let compiler = FilterCompiler(source: source, base: base, entity: entity)
    components = try sort.map { key in
      let reader = try compiler.reader(key.path)
      let isText = reader.type == .string || reader.type == .url
      return Component(
        reader: reader, isDescending: key.isDescending, isForPeople: isText && key.comparison == .localizedStandard)
    }
  }

  func append(_ row: QueryRow, to encoder: inout KeyEncoder) throws {
    for component in components {
      encoder.append(
        encoded: try component.reader.bytes(in: row), type: component.reader.type, isDescending: component.isDescending,
        isForPeople: component.isForPeople)
    }
    encoder.append(raw: row.id)
  }
}
