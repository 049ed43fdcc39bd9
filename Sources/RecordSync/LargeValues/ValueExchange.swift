import Foundation
import RecordStore

/// Brings large values from a store into folders of its family, and from there into the store.
///
/// The store's list of the values that files name (``ListedValue``) says what there is to do; nothing looks through the
/// tables.
struct ValueExchange {
  let store: RecordStore
  /// Arrivals of so many bytes are noted in one commit.
  private static let notedBytes = 8 << 20
  /// The bound on what the run may move, and the store's name in it.
  var budget: ByteBudget?
  var place = ""
  /// Hears of each piece that is copied.
  var tell: (SyncEvent) -> Void = { _ in }

  /// Whether there is anything to do with large values.
  var isNeeded: Bool { get throws { try store.read { $0.catalogue.hasExternalValues } } }

  /// How much is awaited; nil where nothing is.
  var awaitedSentence: String? {
    get throws {
      let awaited = try store.read { try $0.listedValues() }.filter(\.isAwaited)
      guard !awaited.isEmpty else { return nil }
      let count = awaited.lazy.map(\.reference).valueByteCount
      return awaited.count == 1
        ? "1 large value of \(count) bytes has not come yet"
        : "\(awaited.count) large values of \(count) bytes have not come yet"
    }
  }

  // MARK: Delivering

  /// Puts those of some values that are here, and that nobody has put into the folder, into the own part of it.
  /// `verifying`: a file counts if it has the right length; else its name is enough.
  func deliver(
    _ values: some Sequence<ExternalReference>, to folder: ExchangeFolder, verifying: Bool = false,
    into report: inout SyncReport
  ) throws {
    guard let external = store.externalFolder else { return }
    let (own, there) = (try store.read { try $0.replica }, try ValueNames(in: folder))
    for value in values {
      try CancellationRequest.check()
      let isThere = try there.has(value) { slice, owner in
        try !verifying || DurableFile.size(of: folder.file(slice, of: owner)) == folder.byteCount(of: slice)
      }
      guard !isThere else { continue }
      let slice = ValueSlice(value)
      // One that is not here is awaited, and others deliver it.
      guard let data = external.data(of: value), admits(value, folder.byteCount(of: slice), .given) else { continue }
      try folder.publish(data, slice, of: own) { note($0, of: value) }
      report.valuesDelivered += 1
      report.valueBytes += value.valueByteCount
    }
  }

  /// Puts every listed value that is here and lies in no part of the folder into the own one, and removes from there
  /// what nobody needs any more. So a value that was lost in the folder comes back as long as one device has it.
  func deliverAll(to folder: ExchangeFolder, verifying: Bool = false, into report: inout SyncReport) throws {
    guard try isNeeded else { return }
    let listed = try store.read { try $0.listedValues() }
    let values = listed.filter { !$0.isAwaited }.map(\.reference)
    try deliver(values, to: folder, verifying: verifying, into: &report)
    let names = Set(listed.map(\.reference.name))
    try removeUnnamed(from: folder, listed: names)
    let there = try ValueNames(in: folder)
    try folder.removeUnfinishedValues(of: store.read { try $0.replica }) { name in
      !names.contains(name) || there.has(named: name)
    }
  }

  // MARK: Receiving

  /// Brings what the store awaits and a source has. What is in its place stays there if the run ends; the next one goes
  /// on with the rest. ``awaited(among:)`` has what no source had. `only`: the digests of those that are to come; nil:
  /// all.
  func receive(
    from sources: [ValueSource], only chosen: Set<String>? = nil, _ direction: ByteBudget.Direction = .taken,
    into report: inout SyncReport
  ) throws {
    guard let external = store.externalFolder else { return }
    let awaited = try listedAwaited().filter { chosen?.contains($0.reference.name) ?? true }
    guard !awaited.isEmpty else { return }
    let now = store.configuration.clock.now()
    var arrived: Set<ExternalReference> = []
    var memory = try RefusedFiles(of: store)
    do {
      for value in awaited.map(\.reference) {
        try CancellationRequest.check()
        if try isKept(value, in: external, atMilliseconds: now) {
          arrived.insert(value)
          continue
        }
        for source in sources where try source.mayHave(value) {
          guard admits(value, value.valueByteCount, direction) else { break }
          guard
            try source.bring(
              value, to: external, atMilliseconds: now, &memory, &report.refused, { note($0, of: value) })
          else {
            budget?.giveBack(value.valueByteCount, direction)
            continue
          }
          arrived.insert(value)
          report.valuesReceived += 1
          report.valueBytes += value.valueByteCount
          break
        }
        // An app that waits for values gets the first ones while others are under way.
        guard arrived.reduce(0, { $0 + $1.valueByteCount }) >= Self.notedBytes else { continue }
        try note(arrived)
        arrived.removeAll()
      }
    } catch {
      try note(arrived)
      throw error
    }
    try note(arrived)
    try store.renewProvisionalKeys()
    try memory.save(in: store)
  }

  private func admits(_ value: ExternalReference, _ byteCount: Int, _ direction: ByteBudget.Direction) -> Bool {
    budget?.admits(value.name, of: place, byteCount: byteCount, direction) ?? true
  }

  private func note(_ count: Int, of value: ExternalReference) {
    tell(.copied(value: value.name, bytes: count, of: value.valueByteCount))
  }

  /// Awaits again what has lost its file here. Costs a system call for each listed value, and a pass over the tables
  /// where one is gone.
  func awaitLost() throws {
    guard let external = store.externalFolder, try isNeeded else { return }
    let listed = try store.read { try $0.listedValues() }
    if try listed.contains(where: { try !$0.isAwaited && !external.has($0.reference) }) { try tidyList() }
  }

  private func listedAwaited() throws -> [ListedValue] {
    try store.read { try $0.listedValues() }.filter(\.isAwaited)
  }

  /// The digests of those that are to come, where these are wanted; nil: all. `isWaiting`: whether a merge may wait for
  /// some, which come in any case. No record names these yet, so that finding them costs a pass over the tables.
  func chosen(_ wanted: Set<String>?, isWaiting: Bool) throws -> Set<String>? {
    guard var chosen = wanted, isWaiting else { return wanted }
    let named = try store.read { try $0.namedValues() }
    for value in try listedAwaited().map(\.reference) where !named.contains(value) { chosen.insert(value.name) }
    return chosen
  }

  /// Whether some are awaited. `chosen`: the digests of those that are to come; nil: all.
  func isAwaiting(among chosen: Set<String>?) throws -> Bool {
    try listedAwaited().contains { chosen?.contains($0.reference.name) ?? true }
  }

  /// Those that were left where they are. `chosen`: the digests of those that were to come; nil: all.
  func noteLeft(besides chosen: Set<String>?, in report: inout SyncReport) throws {
    let left = try chosen.map { chosen in try listedAwaited().filter { !chosen.contains($0.reference.name) } } ?? []
    report.valuesLeft = left.count
    report.valueBytesLeft = left.lazy.map(\.reference).valueByteCount
  }

  /// Whether a value is here already: in its place, or where it waited to be removed when it was named again.
  private func isKept(
    _ value: ExternalReference, in external: ExternalFolder, atMilliseconds now: UInt64
  ) throws -> Bool {
    if try external.has(value) { return true }
    guard let data = external.data(of: value), ExternalReference(of: data) == value else { return false }
    try external.place(data, as: value, atMilliseconds: now)
    return true
  }

  /// Notes that values are here.
  private func note(_ arrived: Set<ExternalReference>) throws {
    guard !arrived.isEmpty else { return }
    _ = try store.commit { snapshot in
      var attachments: [StoreAttachment] = []
      for value in arrived {
        guard var listed = try snapshot.listedValue(value), listed.isAwaited else { continue }
        listed.isAwaited = false
        attachments.append(listed.attachment)
      }
      if !attachments.isEmpty {
        attachments.append(try snapshot.nextValueArrivals)
        if let note = try ProvisionalKeys.note(isLoss: false, isDue: true, in: snapshot) { attachments.append(note) }
      }
      return (SaveRequest(attachments: attachments), ())
    }
  }

  /// Sentences on what is still awaited, by the replicas whose files name it. `chosen`: the digests of those that were
  /// to come; nil: all.
  func awaited(among chosen: Set<String>?) throws -> [String] {
    func rest() throws -> [ListedValue] {
      try listedAwaited().filter { listed in
        let name = listed.reference.name
        return chosen?.contains(name) ?? true && !(budget?.hasLeft(name, of: place) ?? false)
      }
    }
    guard try store.externalFolder != nil && !rest().isEmpty else { return [] }
    // A value that was overwritten meanwhile need not come any more.
    try tidyList()
    let names = try store.read { try DeviceNames(in: $0) }
    return try Dictionary(grouping: rest(), by: \.author).sorted { $0.key < $1.key }.map { author, values in
      let count = values.lazy.map(\.reference).valueByteCount
      let holder = "replica \(author)" + (names[author].map { " (\($0))" } ?? "")
      return values.count == 1
        ? "1 large value of \(count) bytes is in no folder here, and \(holder) has named it: wait until its file has "
          + "arrived, or synchronise with a device that has it"
        : "\(values.count) large values of \(count) bytes are in no folder here, and \(holder) has named them: wait "
          + "until their files have arrived, or synchronise with a device that has them"
    }
  }

  // MARK: The list

  /// Brings the list up to date with the tables and the files: takes away what nothing names any more, and awaits again
  /// what has lost its file. Costs a pass over the tables.
  func tidyList() throws {
    guard let external = store.externalFolder, try isNeeded else { return }
    _ = try store.commit { snapshot in
      let (named, own) = (try snapshot.namedValues(), try snapshot.replica)
      var attachments: [StoreAttachment] = []
      var listed: Set<ExternalReference> = []
      var (hasArrived, isDue, isLoss) = (false, false, false)
      for entry in try snapshot.listedValues() {
        listed.insert(entry.reference)
        guard named.contains(entry.reference) else {
          attachments.append(entry.removal)
          isDue = isDue || entry.isAwaited
          continue
        }
        var present = entry
        present.isAwaited = try !external.has(entry.reference)
        if present != entry { attachments.append(present.attachment) }
        hasArrived = hasArrived || entry.isAwaited && !present.isAwaited
        isLoss = isLoss || !entry.isAwaited && present.isAwaited
      }
      if hasArrived { attachments.append(try snapshot.nextValueArrivals) }
      for value in named.subtracting(listed) where try !external.has(value) {
        attachments.append(ListedValue(value, isAwaited: true, author: own).attachment)
        isLoss = true
      }
      if let note = try ProvisionalKeys.note(isLoss: isLoss, isDue: hasArrived || isDue, in: snapshot) {
        attachments.append(note)
      }
      return (SaveRequest(attachments: attachments), ())
    }
    try store.renewProvisionalKeys()
  }

  // MARK: Removing

  private func removeUnnamed(from folder: ExchangeFolder, listed: Set<String>) throws {
    let own = try store.read { try $0.replica }
    let candidates = try ValueNames(in: folder).names(of: own).subtracting(listed)
    for name in try unneeded(candidates, at: folder.url.path, heads: folder) {
      try folder.removeValue(named: name, of: own)
    }
  }

  /// Those of the values in the own part of a place that nothing in the store has named since a state that every known
  /// replica has merged: then none of them waits for it. The first look notes the state, a later one returns the value.
  /// `candidates`: the digests of values that are not listed. `heads`: the folder that has the replicas' heads.
  func unneeded(_ candidates: Set<String>, at place: String, heads folder: ExchangeFolder) throws -> [String] {
    let prefix = SyncAttachment.unnamed + ContentHash(of: place.utf8).bytes.prefix(16)
    let notes = try notes(prefix)
    guard !candidates.isEmpty || !notes.isEmpty else { return [] }
    let cut = try candidates.isEmpty ? nil : stableCut(in: folder)
    let due = candidates.filter { name in
      guard let cut, let seen = notes[name] else { return false }
      return seen.entries.allSatisfy { cut.sequence(of: $0.key) >= $0.value.sequence }
    }
    let new = candidates.subtracting(notes.keys)
    let stale = Set(notes.keys).subtracting(candidates)
    guard !new.isEmpty || !stale.isEmpty else { return due.sorted() }
    _ = try store.commit { snapshot in
      var writer = FileWriter()
      writer.put(try snapshot.versionVector)
      let added = new.compactMap(ExternalReference.digest).map {
        StoreAttachment(key: prefix + $0, value: writer.bytes)
      }
      let removed = stale.compactMap(ExternalReference.digest).map { StoreAttachment(key: prefix + $0, value: nil) }
      return (SaveRequest(attachments: added + removed), ())
    }
    return due.sorted()
  }

  private func notes(_ prefix: [UInt8]) throws -> [String: VersionVector] {
    try store.read { snapshot in
      var notes: [String: VersionVector] = [:]
      try snapshot.forEachAttachment(prefix: prefix) { key, value in
        var reader = FileReader(value, subject: "a note of a value that nothing names")
        notes[ExternalReference.name(of: Array(key.dropFirst(prefix.count)))] = try reader.versionVector()
        return true
      }
      return notes
    }
  }

  /// All that every known replica has merged; all that this store has, where there is no other.
  private func stableCut(in folder: ExchangeFolder) throws -> VersionVector? {
    let peers = try Peers(of: store, in: folder)
    guard !peers.awaited.isEmpty else { return peers.applied }
    return StableCut(
      own: peers.own, applied: peers.applied, heads: peers.heads, known: peers.awaited, shared: peers.shared
    ).cut
  }
}
