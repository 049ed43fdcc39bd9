import LMDB

/// One condition of a compiled filter. A tree of these runs once per record, so nodes hold everything they
/// need, allocate nothing, and each is a final class without type parameters, which would be asked of the runtime at
/// each record: one dynamic call a node.
class FilterNode {
  func passes(_ row: QueryRow) throws -> Bool {
    preconditionFailure("every kind of filter node says what passes it")
  }

  /// The next record of a walk over an entity's table that passes; nil at its end.
  ///
  /// Here and not with the scans: in its own method a node is not counted once a record.
  final func next<Walk: EntryWalk & ~Copyable>(_ walk: inout Walk, of entity: CatalogueEntity) throws -> QueryRow? {
    while let row = try QueryRow.next(&walk, of: entity) {
      if try passes(row) { return row }
    }
    return nil
  }
}

final class ConstantNode: FilterNode {
  let value: Bool
  init(_ value: Bool) { self.value = value }
  override func passes(_ row: QueryRow) -> Bool { value }
}

/// Two conditions: more are a tree of these, for children in an array would be counted once a record.
final class AndNode: FilterNode {
  let first, second: FilterNode
  init(_ first: FilterNode, _ second: FilterNode) { (self.first, self.second) = (first, second) }
  override func passes(_ row: QueryRow) throws -> Bool { try first.passes(row) && second.passes(row) }
}

final class OrNode: FilterNode {
  let first, second: FilterNode
  init(_ first: FilterNode, _ second: FilterNode) { (self.first, self.second) = (first, second) }
  override func passes(_ row: QueryRow) throws -> Bool { try first.passes(row) || second.passes(row) }
}

final class NotNode: FilterNode {
  let child: FilterNode
  init(_ child: FilterNode) { self.child = child }
  override func passes(_ row: QueryRow) throws -> Bool { try !child.passes(row) }
}

final class IdentifierNode: FilterNode {
  let ids: Set<RecordID>
  init(_ ids: Set<RecordID>) { self.ids = ids }
  override func passes(_ row: QueryRow) -> Bool { ids.contains(row.id) }
}

/// Whether a field is, or is not, null.
final class NullNode: FilterNode {
  let path: PathReader
  let passesNull: Bool
  init(_ path: PathReader, passesNull: Bool) {
    self.path = path
    self.passesNull = passesNull
  }
  override func passes(_ row: QueryRow) throws -> Bool { (try path.bytes(in: row) == nil) == passesNull }
}
