import LMDB

/// Reads one field of one entity as people see it: its bytes, its default's bytes, or nil for null.
struct FieldReader {
  let type: FieldType
  fileprivate let ordinal: Int
  private let isOptional: Bool
  private let fallback: AbsentValue

  /// A reader of `field` in the records of `entity`, which is the field's own entity or inherits from it;
  /// ordinals may differ, names do not.
  init(_ field: CatalogueField, in entity: CatalogueEntity) {
    let isSame = entity.fields.indices.contains(field.ordinal) && entity.fields[field.ordinal].name == field.name
    let own = isSame ? entity.fields[field.ordinal] : entity.field(named: field.name)
    type = field.type
    // No ordinal: such records never have the field, and read as its default.
    ordinal = own?.ordinal ?? -1
    isOptional = (own ?? field).isOptional
    fallback = AbsentValue(own ?? field)
  }

  @inline(__always)
  func bytes(in record: RecordView) -> RawBytes? {
    if let bytes = record.fieldBytes(at: ordinal) { return bytes }
    guard record.isDefaulted(at: ordinal, isOptional: isOptional) else { return nil }
    return fallback.bytes
  }
}

/// The bytes that stand for a field that a record never got, made when the first such record is met: most queries meet
/// none.
private final class AbsentValue {
  private let field: CatalogueField
  private lazy var value: EncodedValue? = {
    let value = field.valueWhenAbsent
    return value == .null ? nil : EncodedValue(value)
  }()
  var bytes: RawBytes? { value?.bytes }

  init(_ field: CatalogueField) { self.field = field }
}

/// Reads a field at the end of a path of to-one references; nil where a reference on the way is.
struct PathReader {
  let first: FieldReader
  let hop: PathHop?
  private let isDirect: Bool

  init(first: FieldReader, hop: PathHop?) {
    self.first = first
    self.hop = hop
    isDirect = hop == nil
  }

  var type: FieldType { hop?.type ?? first.type }

  @inline(__always)
  func bytes(in row: QueryRow) throws -> RawBytes? {
    // The usual case touches nothing whose references would be counted.
    if isDirect, let bytes = row.view.fieldBytes(at: first.ordinal) { return bytes }
    return try bytesOtherwise(in: row)
  }

  /// The default of a field that has no bytes, or a field of another record.
  @inline(never)
  private func bytesOtherwise(in row: QueryRow) throws -> RawBytes? {
    guard let hop else { return first.bytes(in: row.view) }
    guard let id = first.bytes(in: row.view).flatMap({ RecordID(bytes: $0) }) else { return nil }
    return try hop.bytes(of: id)
  }
}

/// One step along a reference: the target lies in the destination's table, or in one of an inheriting entity.
final class PathHop {
  struct Target {
    let entity: EntityNumber
    let reader: PathReader
  }
  let source: QuerySource
  let targets: [Target]

  init(source: QuerySource, targets: [Target]) {
    self.source = source
    self.targets = targets
  }

  var type: FieldType { targets[0].reader.type }

  func bytes(of id: RecordID) throws -> RawBytes? {
    for target in targets {
      guard let bytes = try source.record(id, of: target.entity) else { continue }
      return try target.reader.bytes(in: QueryRow(id: id, entity: target.entity, bytes: bytes))
    }
    return nil
  }
}
