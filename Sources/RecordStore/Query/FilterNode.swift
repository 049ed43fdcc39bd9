/// One condition of a compiled filter. A tree of these runs once per record, so nodes hold everything they
/// need, allocate nothing, and each is a final class: one dynamic call a node.
class FilterNode {
  func passes(_ row: QueryRow) throws -> Bool {
    preconditionFailure("every kind of filter node says what passes it")
  }
}

final class ConstantNode: FilterNode {
  let value: Bool
  init(_ value: Bool) { self.value = value }
  override func passes(_ row: QueryRow) -> Bool { value }
}

final class AndNode: FilterNode {
  let children: [FilterNode]
  init(_ children: [FilterNode]) { self.children = children }
  override func passes(_ row: QueryRow) throws -> Bool {
    for child in children where try !child.passes(row) { return false }
    return true
  }
}

final class OrNode: FilterNode {
  let children: [FilterNode]
  init(_ children: [FilterNode]) { self.children = children }
  override func passes(_ row: QueryRow) throws -> Bool {
    for child in children where try child.passes(row) { return true }
    return false
  }
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
