import RecordStore

/// The values of one row, until its record is written; then of the next.
///
/// A key path is found in a dictionary once: rows mostly give their values in one order, and then each path is
/// that of the row before, at the same place. Access is not checked at run time, as with ``ModelStorage``: nothing here
/// calls out while it holds a property.
@usableFromInline
final class RowValues {
  let plan: RowPlan
  let resolver: LinkResolver
  @exclusivity(unchecked) private(set) var id = RecordIDGenerator.shared.next()
  /// By property; nil where none was given.
  @exclusivity(unchecked) private(set) var fields: ContiguousArray<FieldValue?>
  /// Links that are not the row's own record's.
  @exclusivity(unchecked) private(set) var links: [RowLink] = []
  @exclusivity(unchecked) private(set) var failure: (any Error)?
  @exclusivity(unchecked) private var paths: ContiguousArray<(path: AnyKeyPath, index: Int)> = []
  @exclusivity(unchecked) private var place = 0

  init(_ plan: RowPlan, _ resolver: LinkResolver) {
    self.plan = plan
    self.resolver = resolver
    fields = ContiguousArray(repeating: nil, count: plan.binding.ordinals.count)
  }

  /// Empties it for the next row, which has an identity of its own.
  func reset() {
    id = RecordIDGenerator.shared.next()
    for index in plan.binding.storedIndexes { fields[index] = nil }
    if !links.isEmpty { links.removeAll(keepingCapacity: true) }
    place = 0
  }

  /// Gives the defaults of what was left out. Throws what was wrong with the row's values.
  func complete() throws {
    if let failure { throw failure }
    for item in plan.defaults where fields[item.index] == nil {
      fields[item.index] = if let value = item.make() { try plan.encoded(value, item.index) } else { .null }
    }
    for index in plan.required where fields[index] == nil && !links.contains(where: { $0.index == index }) {
      throw SwiftDataError(
        .modelValidationFailure,
        "\(plan.name(index)) has no value in a row: give it one, or give the property a default")
    }
  }

  /// Adds the record to the drafts; false if only the general way of a save can judge it.
  func draft(to drafts: inout RecordDrafts) -> Bool {
    let binding = plan.binding
    guard binding.classWrite == nil else { return drafts.append(id, binding.draft, writes) }
    return drafts.append(id, binding.draft) { writer in
      for index in binding.storedIndexes {
        if let value = fields[index] {
          guard writer.write(binding.places[index].ordinal, value) else { return false }
        }
      }
      return true
    }
  }

  /// The record as a change of a save.
  var change: RecordChange { .insert(entity: plan.binding.entity.number, id: id, fields: writes) }

  private var writes: [FieldWrite] {
    let binding = plan.binding
    var writes = binding.storedIndexes.compactMap { index in
      fields[index].map { FieldWrite(binding.ordinals[index], $0) }
    }
    if let write = binding.classWrite {
      writes.append(write)
      writes.sort { $0.ordinal < $1.ordinal }
    }
    return writes
  }

  // MARK: Attributes

  /// `original`: the value itself, for a property whose form in the store its type does not tell.
  @usableFromInline
  func set(_ path: AnyKeyPath, to value: FieldValue, _ original: @autoclosure () -> Any) {
    guard let index = index(of: path) else { return }
    if plan.isCoded[index] { return setCoded(index, original()) }
    fields[index] = value
  }

  @usableFromInline
  func set<V: Codable>(_ path: AnyKeyPath, toCodable value: V) {
    guard let index = index(of: path) else { return }
    if plan.isCoded[index] { return setCoded(index, value) }
    if let optional = value as? any OptionalType, optional.wrapped == nil {
      fields[index] = .null
      return
    }
    do {
      fields[index] = try CompositeCoding.encode(value)
    } catch {
      note(
        SwiftDataError(
          .modelValidationFailure, "\(plan.name(index)) has a value that can not be encoded: give another", cause: error
        ))
    }
  }

  @usableFromInline
  func set(_ path: AnyKeyPath, toCoded value: Any) {
    if let index = index(of: path) { setCoded(index, value) }
  }

  private func setCoded(_ index: Int, _ value: Any) {
    do {
      fields[index] = try plan.encoded(value, index)
    } catch {
      note(error)
    }
  }

  /// The number of the property that a key path names; notes a failure for one that names none.
  private func index(of path: AnyKeyPath) -> Int? {
    let place = place
    self.place += 1
    if place < paths.count, paths[place].path === path { return paths[place].index }
    guard let index = plan.binding.index(of: path) else {
      note(
        SwiftDataError(
          .unsupportedKeyPath,
          "\(path) names no stored property of \(plan.binding.description.name): give the stored ones values"))
      return nil
    }
    paths.removeSubrange(min(place, paths.count)...)
    paths.append((path, index))
    return index
  }

  private func note(_ error: any Error) { failure = failure ?? error }

  // MARK: Relationships

  /// Gives a relationship its targets: none or one of a to-one, all of a to-many.
  func link(_ path: AnyKeyPath, to targets: [LinkTarget]) {
    guard let index = index(of: path) else { return }
    do {
      let ids = try targets.map { try resolver.id(of: $0, index, plan) }
      links.removeAll { $0.index == index }
      if plan.isField[index] { fields[index] = ids.first.map { .reference($0) } ?? .null }
      links += RowLink.links(of: id, index, to: ids, plan.binding)
    } catch {
      note(error)
    }
  }
}
