import RecordStore

/// The other end of a link, as an app names it.
enum LinkTarget {
  case object(any PersistentModel)
  case identifier(PersistentIdentifier)
}

/// Finds the records that new ones link to. An object that was never saved has none.
final class LinkResolver {
  private let core: ContainerCore
  /// Whether a row's own identifier was asked for, so that later rows may name it.
  private var isNamed = false
  /// The records that earlier rows became, where a unique value made them one with a record that was there.
  private var remapped: [RecordID: RecordID] = [:]

  init(_ core: ContainerCore) { self.core = core }

  /// The identifier of a new record.
  func identifier(of id: RecordID, _ binding: EntityBinding) -> PersistentIdentifier {
    isNamed = true
    return PersistentIdentifier(
      recordID: id, entityName: binding.description.name, storeIdentifier: binding.store.identifier)
  }

  func note(_ remapped: [RecordID: RecordID]) {
    if isNamed { self.remapped.merge(remapped) { $1 } }
  }

  /// The record that a property leads to.
  func id(of target: LinkTarget, _ index: Int, _ plan: RowPlan) throws -> RecordID {
    guard let destination = plan.binding.destination(of: index) else { throw refusal(index, plan, "no relationship") }
    switch target {
    case .object(let model):
      let storage = model._$storage
      guard let binding = storage.binding, storage.flags.isDisjoint(with: [.inserted, .deleted, .gone]) else {
        throw refusal(index, plan, "an object that the store does not have")
      }
      return try known(storage.recordID, binding, destination, index, plan)
    case .identifier(let identifier):
      guard !identifier.isTemporary, let binding = core.binding(named: identifier.entityName),
        identifier.storeIdentifier == binding.store.identifier
      else { throw refusal(index, plan, "an identifier of no saved object of the container") }
      return try known(identifier.recordID, binding, destination, index, plan)
    }
  }

  private func known(
    _ id: RecordID, _ binding: EntityBinding, _ destination: EntityBinding, _ index: Int, _ plan: RowPlan
  ) throws -> RecordID {
    guard binding.store.identifier == plan.binding.store.identifier else {
      throw refusal(index, plan, "an object of another store")
    }
    guard binding.description.isKind(of: destination.description) else {
      throw refusal(index, plan, "an object of the class \(binding.description.name)")
    }
    return remapped[id] ?? id
  }

  private func refusal(_ index: Int, _ plan: RowPlan, _ what: String) -> SwiftDataError {
    SwiftDataError(
      .modelValidationFailure, "\(plan.name(index)) is to lead to \(what): link to a saved object of its class")
  }
}
