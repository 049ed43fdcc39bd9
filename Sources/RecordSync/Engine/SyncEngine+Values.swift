import Foundation
import RecordStore

// Large values, which lie in files of their own beside the change sets that name them.
extension SyncEngine {
  private var values: ValueExchange {
    var exchange = ValueExchange(store: store) { self.tell($0) }
    exchange.budget = ByteBudget.current
    return exchange
  }

  /// The large values that a change set of this store's own names.
  func references(of set: ChangeSet) throws -> Set<ExternalReference> {
    guard set.holdsReferences else { return [] }
    return try store.read { snapshot in
      try set.transactions.reduce(into: []) { $0.formUnion(try snapshot.references(of: $1)) }
    }
  }

  /// Before the file that names them: so most devices find both. In a run with a bound the records come first.
  func deliver(_ references: Set<ExternalReference>, into report: inout SyncReport) throws {
    guard options.exchangesValues, !isReader, !references.isEmpty, ByteBudget.current == nil else { return }
    try values.deliver(references.sorted { $0.name < $1.name }, to: folder, into: &report)
  }

  func deliverValues(into report: inout SyncReport) throws {
    guard options.exchangesValues, !isReader else { return }
    try values.deliverAll(to: folder, into: &report)
  }

  /// Brings the values that merges have named. Nothing is listed where none is awaited.
  func receiveValues(into report: inout SyncReport) throws {
    guard options.exchangesValues else { return }
    // After a run that ended between values and keys.
    try store.renewProvisionalKeys()
    try values.awaitLost()
    try receiveChosen(into: &report)
    try values.noteLeft(besides: options.largeValues.chosen, in: &report)
  }

  /// Brings those that the options let come, and names what no folder has of them.
  private func receiveChosen(into report: inout SyncReport) throws {
    let chosen = options.largeValues.chosen
    guard chosen?.isEmpty != true else { return }
    try receive(only: chosen, into: &report)
    report.awaited = try values.awaited(among: chosen)
  }

  /// `only`: the digests of those that are to come; nil: all that are awaited.
  private func receive(only chosen: Set<String>?, into report: inout SyncReport) throws {
    guard options.exchangesValues, try store.read({ try $0.listedValues() }).contains(where: \.isAwaited) else {
      return
    }
    let names = try ValueNames(in: folder)
    for refusal in names.refused { refuse(refusal, in: &report) }
    try values.receive(from: [.folder(folder, names)], only: chosen, into: &report)
  }

  /// Brings a large value that ``SyncOptions/largeValues`` has left in the folder; at once where it is here already.
  ///
  /// Costs a list of the files of values, and the reading of one. It is read piece by piece, and in its place once it
  /// was found whole.
  ///
  /// - Parameter sha256: the value's digest in lower-case hexadecimal.
  /// - Throws: ``SyncError`` `missingValue` where the folder has no whole file of it, or nothing in the store has ever
  ///   named it; and as ``sync()`` does.
  public func loadValue(sha256: String) throws {
    try openFolder()
    try values.awaitLost()
    func isHere() throws -> Bool {
      try store.read { try $0.listedValues() }.contains { $0.reference.name == sha256 && !$0.isAwaited }
    }
    if try isHere() { return }
    var report = SyncReport()
    try receive(only: [sha256], into: &report)
    guard try !isHere() else { return }
    let reason = report.refused.first.map { ": \($0.reason)" } ?? ""
    throw SyncError(
      .missingValue,
      "the large value \(sha256) is not in \(folder.root.path)\(reason); synchronise a device that has it, then load "
        + "it again")
  }

  /// Once a day: what is listed and not named any more goes, what has lost its file is awaited again, and what was cut
  /// short in the folder is put there anew.
  func tidyValues(into report: inout SyncReport) throws {
    try values.tidyList()
    guard options.exchangesValues else { return }
    try receiveChosen(into: &report)
    guard !isReader else { return }
    try values.deliverAll(to: folder, verifying: true, into: &report)
  }

  /// Whether all large values are here that a merge needs: those of fields that are in an index of this store, whatever
  /// they are to their author. Else they are awaited, and the stream waits: a key must not change when a file comes.
  func hasValuesOfKeys(_ batch: ImportBatch, report: inout SyncReport) throws -> Bool {
    let named = Set(batch.transactions.flatMap(\.references))
    guard !named.isEmpty else { return true }
    let local = try store.read { $0.catalogue }
    let mapping = CatalogueMapping(author: batch.author, local: local)
    let needed = named.filter { mapping.isInIndex($0.ordinal, of: $0.entity, local) }.map(\.reference)
    return try hasValuesOfKeys(
      Set(needed), by: batch.replica, "the stream of replica \(batch.replica)", batch.countedBytes, &report)
  }

  /// `counted`: the lengths of the files that need them, as they count against a bound on bytes.
  func hasValuesOfKeys(
    _ needed: Set<ExternalReference>, by author: ReplicaID, _ subject: String, _ counted: [Int],
    _ report: inout SyncReport
  ) throws -> Bool {
    var lacking = try needed.filter { try store.externalFolder?.has($0) == false }
    guard !lacking.isEmpty else { return true }
    _ = try store.commit { [values = store.externalFolder, lacking] snapshot in
      let entries = try ValueList.entries(of: lacking, by: author, here: values, in: snapshot)
      return (SaveRequest(attachments: entries), ())
    }
    func haveCome() throws -> Bool {
      try receive(only: Set(lacking.map(\.name)), into: &report)
      lacking = try lacking.filter { try store.externalFolder?.has($0) == false }
      return lacking.isEmpty
    }
    if try ByteBudget.current?.inPlace(of: counted, .taken, haveCome) ?? haveCome() { return true }
    report.waiting.append(
      "\(subject) waits for \(lacking.count == 1 ? "a large value" : "\(lacking.count) large values") of an attribute "
        + "that is in an index here")
    return false
  }
}
