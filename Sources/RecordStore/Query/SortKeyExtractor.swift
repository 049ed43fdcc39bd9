import LMDB

/// Appends what one record is sorted by, as bytes that `memcmp` orders: the sort keys, then the id, so that the
/// order is total.
final class SortKeyExtractor {
  private struct Component {
    let reader: PathReader
    let isDescending: Bool
    let isLocalized: Bool
  }
  private let components: [Component]

  init(_ sort: [RecordQuery.SortKey], base: CatalogueEntity, entity: CatalogueEntity, in source: QuerySource) throws {
    let compiler = FilterCompiler(source: source, base: base, entity: entity)
    components = try sort.map { key in
      let reader = try compiler.reader(key.path)
      let isText = reader.type == .string || reader.type == .url
      return Component(
        reader: reader, isDescending: key.isDescending, isLocalized: isText && key.comparison == .localizedStandard)
    }
  }

  func append(_ row: QueryRow, to encoder: inout KeyEncoder) throws {
    for component in components {
      let bytes = try component.reader.bytes(in: row)
      if component.isLocalized, let bytes {
        let key = CollationKey.bytes(of: String(decoding: bytes.buffer, as: UTF8.self))
        key.withRawBytes { encoder.append(encoded: $0, type: .data, isDescending: component.isDescending) }
      } else {
        encoder.append(encoded: bytes, type: component.reader.type, isDescending: component.isDescending)
      }
    }
    encoder.append(raw: row.id)
  }
}
