import Foundation
import RecordStore

/// One synchronisation of a device over a transport: what it has learned of the place, and what is under way.
///
/// 1. One list. 2. What the device lacks is fetched into the staging folder, in one call. 3. Each store takes it in,
/// exports, imports; a failure of one leaves the others alone. 4. Large values that the stores await by now are
/// fetched and taken, in one call for each 64 MiB. 5. What the place lacks is brought, in one call: before it a missing
/// marker, and of large values all but the last 64 MiB. 6. Own files that were replaced are removed, in one call, and
/// only after 5 went well.
///
/// Nothing fetched gets into the own copy before it was found whole, and nothing is brought before the marker was read
/// in this run: a family may have got a key meanwhile, and nothing of it may then be written in clear.
struct TransportRun {
  /// A store of the run.
  struct Member {
    var family: TransportFamily
    /// Nil until the store is made.
    var store: RecordStore?
    var arrivals: [TransportFamily.Arrival] = []
    var declined: DeclinedFiles
    /// Files that were refused before, and are still listed alike.
    var refused: [SyncReport.Refusal] = []
    /// Whether the place held the store before and does not any more.
    var isGone = false
    /// The store's replica id and the paths of its own files, before the run.
    var own: (replica: ReplicaID, paths: Set<String>)?
  }

  let transport: any ExchangeTransport
  let staging: StagingFolder
  var largeValues = SyncOptions.LargeValues.all
  /// The bound on what the run may move.
  var budget: ByteBudget?
  /// Hears of each piece of a large value that is copied, with the store and the device's path.
  var progress: (@Sendable (DeviceDirectory.Place, String, SyncEvent) -> Void)?
  var members: [DeviceDirectory.Place: Member] = [:]
  var reports: [DeviceDirectory.Place: DeviceReport.Store] = [:]
  /// Whose turn it is in a run with a bound; each direction has one, since all fetching comes before all bringing.
  var turns: [ByteBudget.Direction: PlaceTurn] = [:]

  init(
    transport: any ExchangeTransport, staging: StagingFolder, largeValues: SyncOptions.LargeValues = .all,
    budget: ByteBudget? = nil, progress: (@Sendable (DeviceDirectory.Place, String, SyncEvent) -> Void)? = nil
  ) {
    (self.transport, self.staging, self.largeValues) = (transport, staging, largeValues)
    (self.budget, self.progress) = (budget, progress)
  }

  // MARK: Turns

  /// To be called once the members are known.
  mutating func beginTurns() throws {
    let stores = members.compactMap { place, member in member.store.map { (place, $0) } }
    for direction in [ByteBudget.Direction.taken, .given] {
      turns[direction] = try PlaceTurn([direction], on: transport.name, of: stores, within: budget)
    }
  }

  /// To be called when all is done.
  func endTurns() throws {
    for turn in turns.values { try turn.save(in: turn.first.flatMap { members[$0]?.store }) }
  }

  func order(_ direction: ByteBudget.Direction) -> [DeviceDirectory.Place] {
    turns[direction]?.ordered(members.keys) ?? members.keys.sorted()
  }

  // MARK: Fetching

  /// Fetches what the members lack. What could not be fetched is in their reports; what arrived is used all the same.
  mutating func fetch(_ listing: TransportListing) async throws {
    for place in order(.taken) {
      guard let member = members[place] else { continue }
      let kept = try admitted(member, at: place, listing)
      members[place]?.arrivals = kept
      turns[.taken]?.note(place)
    }
    let asking = members.values.filter { !$0.arrivals.isEmpty }
    let files = Set(asking.flatMap { $0.arrivals.flatMap(\.files) })
    guard !files.isEmpty else { return }
    let markers = Set(asking.flatMap(\.family.markers))
    // Markers first: what a run that is cut off has fetched is taken only beside its marker.
    let paths = markers.sorted() + files.subtracting(markers).sorted()
    do {
      try await transport.get(paths, into: staging.arrivals)
    } catch let error as SyncError {
      for (place, member) in members where !member.arrivals.isEmpty {
        reports[place, default: DeviceReport.Store(place: place)].undelivered.append(error.message)
      }
    }
    let unfinished = Set(try staging.removeUnfinished(paths, listing))
    for (place, member) in members {
      for path in member.arrivals.flatMap(\.files) where unfinished.contains(path) {
        let reason =
          "\(path) arrived from \(transport.name) with another length than it is listed with; it is tried again"
        reports[place, default: DeviceReport.Store(place: place)].refused.append(
          SyncReport.Refusal(file: path, reason: reason))
      }
    }
  }

  /// Those that may move now. Of a replica whose snapshot, or any change set, is left to the next run no head is
  /// fetched, for others go by its word.
  private func admitted(
    _ member: Member, at place: DeviceDirectory.Place, _ listing: TransportListing
  ) throws -> [TransportFamily.Arrival] {
    guard let budget else { return member.arrivals }
    func byteCount(of arrival: TransportFamily.Arrival) -> Int {
      arrival.files.reduce(0) { $0 + (listing.byteCounts(of: $1).max() ?? 0) }
    }
    var left: Set<ReplicaID> = []
    let files = member.arrivals.filter { !$0.isHead }
    let kept = try inTurn(files, by: \.replica, .files, .taken, member) { arrival in
      if budget.admits(arrival.path, of: place.description, byteCount: byteCount(of: arrival), .taken) { return true }
      left.insert(arrival.replica)
      return false
    }
    let heads = member.arrivals.filter { $0.isHead && !left.contains($0.replica) }
    return try kept
      + inTurn(heads, by: \.replica, .heads, .taken, member) { head in
        budget.admitsHeads(head.path, of: place.description, byteCount: byteCount(of: head), .taken)
      }
  }

  /// Those that are admitted, asked for in the order in which it is their replicas' turn.
  private func inTurn<Item>(
    _ items: [Item], by replica: (Item) -> ReplicaID, _ kind: ByteBudget.Kind, _ direction: ByteBudget.Direction,
    _ member: Member, where isAdmitted: (Item) -> Bool
  ) throws -> [Item] {
    var turn = try ReplicaTurn(kind, direction, on: transport.name, of: member.store, within: budget)
    let items = Dictionary(grouping: items, by: replica)
    var admitted: [Item] = []
    for replica in turn.ordered(items.keys.sorted()) {
      admitted += turn.taking(replica) { (items[replica] ?? []).filter(isAdmitted) }
    }
    try turn.save()
    return admitted
  }

  /// Notes what was fetched and not taken, so that it is not fetched again, and names what was refused earlier.
  mutating func noteDeclined(at place: DeviceDirectory.Place) throws {
    // Where the own copy could not be written, what it lacks is still wanted.
    guard var member = members[place], let report = reports[place], report.failure == nil, report.undelivered.isEmpty
    else { return }
    let (family, refused) = (member.family, report.refused)
    for arrival in member.arrivals where try !family.isTaken(arrival) {
      let hasArrived = try arrival.files.allSatisfy { path in
        try DurableFile.item(at: staging.arrivals.appending(path: path)) != nil
      }
      guard try hasArrived && !family.lacksMore(of: arrival) else { continue }
      let reason = refused.first { arrival.path.hasSuffix($0.file) || $0.file.hasPrefix(arrival.path) }?.reason
      member.declined.note(arrival.path, arrival.look, reason: reason.map(renamed) ?? "")
    }
    if let store = member.store { try member.declined.save(in: store) }
    members[place] = member
  }

  /// A sentence about a file in the staging folder, with the place from which it came.
  func renamed(_ sentence: String) -> String {
    sentence.replacingOccurrences(of: staging.arrivals.path, with: transport.name)
  }

  // MARK: Bringing

  /// Brings what the place lacks, then removes what was replaced. `beginningAnew`: a missing marker is written again.
  /// `device`: its path, for the reports.
  mutating func bring(_ listing: TransportListing, of device: String, beginningAnew: Bool) async throws {
    var work: [DeviceDirectory.Place: Work] = [:]
    for place in order(.given) where reports[place]?.failure == nil {
      guard let member = members[place] else { continue }
      let found = try attempt(at: place) { try $0.work(of: member) }
      if let found, !found.isEmpty { work[place] = found }
      turns[.given]?.note(place)
    }
    do {
      try await fetchMarkers(of: Set(work.keys), listing)
      for place in work.keys.sorted() {
        let staged = try attempt(at: place) {
          try $0.stage(work[place], at: place, beginningAnew: beginningAnew)
        }
        work[place] = staged
      }
      // First: files without their marker are refused, and a run that is cut off would leave such.
      let markers = work.values.compactMap(\.marker).sorted()
      if !markers.isEmpty { try await transport.put(markers, from: staging.departures) }
      var failures = CallFailures()
      try await bringValues(&work, &failures)
      let (paths, gone) = (work.values.flatMap(\.paths).sorted(), work.values.flatMap(\.obsolete).sorted())
      if !paths.isEmpty { try await transport.put(paths, from: staging.departures) }
      if let failure = failures.first { throw failure }
      // Now that what stands for them is there.
      if !gone.isEmpty { try await transport.remove(gone) }
      for (place, work) in work {
        reports[place]?.filesCopied += work.count
        reports[place]?.note(delivered: work.values, by: device)
      }
    } catch let error as SyncError {
      for place in work.keys where reports[place]?.undelivered.contains(error.message) != true {
        reports[place]?.undelivered.append(error.message)
      }
    }
  }

  /// The work there for one store.
  struct Work {
    var departures: [TransportFamily.Departure] = []
    /// Large values, and pieces of some.
    var values: [ValueSlice] = []
    var needsMarker = false
    var obsolete: [String] = []
    /// The path of the staged marker, where it is missing.
    var marker: String?
    /// The other staged files.
    var paths: [String] = []
    var count = 0

    var isEmpty: Bool { departures.isEmpty && values.isEmpty && obsolete.isEmpty && !needsMarker }
  }

  private func work(of member: Member) throws -> Work {
    // A reader brings nothing.
    guard try member.family.own.isPresent(), member.family.remote.seal?.key.isReader != true else { return Work() }
    let place = member.family.place
    let departures = try admitted(member.family.departures(), of: member, at: place)
    let values = try member.store.map { try member.family.valueDepartures(of: $0, member.declined) } ?? []
    let admittedValues = values.filter { slice in
      admits(slice.value.name, at: place, member.family.remote.byteCount(of: slice), .given)
    }
    // Nothing is removed before all that stands for it is there.
    let isWhole = budget?.isClosed(.given) != true && budget?.hasLeftHeads(.given) != true
    return Work(
      departures: departures, values: admittedValues, needsMarker: !member.family.isMarked,
      obsolete: isWhole ? try obsolete(member) + member.family.formerFiles : [])
  }

  func admits(
    _ file: String, at place: DeviceDirectory.Place, _ byteCount: Int, _ direction: ByteBudget.Direction
  ) -> Bool {
    budget?.admits(file, of: place.description, byteCount: byteCount, direction) ?? true
  }

  /// Those that may move now, a snapshot as a whole. Of a replica of which something is left to the next run no head is
  /// brought.
  private func admitted(
    _ departures: [TransportFamily.Departure], of member: Member, at place: DeviceDirectory.Place
  ) throws -> [TransportFamily.Departure] {
    guard let budget else { return departures }
    var (left, units): (Set<ReplicaID>, [String: Bool]) = ([], [:])
    let byteCounts = try Dictionary(grouping: departures, by: \.unit).mapValues { parts in
      try parts.reduce(0) { $0 + (try DurableFile.size(of: $1.file) ?? 0) }
    }
    let files = departures.filter { !$0.isHead }
    let kept = try inTurn(files, by: \.replica, .files, .given, member) { departure in
      let unit = departure.unit
      let isAdmitted = units[unit] ?? admits(unit, at: place, byteCounts[unit] ?? 0, .given)
      units[unit] = isAdmitted
      if !isAdmitted { left.insert(departure.replica) }
      return isAdmitted
    }
    let heads = departures.filter { $0.isHead && !left.contains($0.replica) }
    return try kept
      + inTurn(heads, by: \.replica, .heads, .given, member) { head in
        budget.admitsHeads(
          head.unit, of: place.description, byteCount: byteCounts[head.unit] ?? 0, .given)
      }
  }

  private func obsolete(_ member: Member) throws -> [String] {
    guard let own = member.own, let store = member.store, try store.read({ try $0.replica }) == own.replica else {
      return []
    }
    let files = try member.family.obsoleteFiles(of: own.replica, before: own.paths) { arrival in
      member.declined.reason(for: arrival.path, arrival.look)?.isEmpty ?? false
    }
    return try files + member.family.obsoleteValues(of: store, at: transport.name)
  }

  /// The markers that were not fetched with other files.
  private func fetchMarkers(of places: Set<DeviceDirectory.Place>, _ listing: TransportListing) async throws {
    let missing = try places.flatMap { members[$0]?.family.markers ?? [] }.filter {
      try DurableFile.item(at: staging.arrivals.appending(path: $0)) == nil
    }
    guard !missing.isEmpty else { return }
    try await transport.get(missing.sorted(), into: staging.arrivals)
    _ = try staging.removeUnfinished(missing, listing)
  }

  private func stage(_ work: Work?, at place: DeviceDirectory.Place, beginningAnew: Bool) throws -> Work? {
    guard var work, let family = members[place]?.family else { return nil }
    let standing = try standing(of: family, beginningAnew: beginningAnew)
    for departure in work.departures {
      try CancellationRequest.check()
      guard try family.stage(departure, in: staging.departures) else { continue }
      work.paths.append(departure.path)
      work.count += departure.isCounted ? 1 : 0
    }
    if standing != .present { work.marker = try family.stageMarker(in: staging.departures) }
    return work
  }

  /// Nil, and a failure of the store in its report, where something cannot be done for it.
  mutating func attempt<Value>(
    at place: DeviceDirectory.Place, _ body: (TransportRun) throws -> Value?
  ) throws -> Value? {
    let run = self
    do {
      return try FolderMemory.during { try body(run) }
    } catch let error as SyncError {
      reports[place]?.failure = run.renamed(error.message)
    } catch let error as StoreError {
      reports[place]?.failure = error.message
    }
    return nil
  }

  /// How the family stands at the transport, by the marker that was fetched. Throws where nothing may be written.
  private func standing(of family: TransportFamily, beginningAnew: Bool) throws -> ExchangeFolder.Standing {
    let folder = family.place.exchangeFolder(in: staging.arrivals, key: family.remote.seal?.key)
    try folder.refuseBesideSealed(in: staging.arrivals)
    let standing = try folder.standing()
    guard standing == .absent, family.isListed, !beginningAnew else { return standing }
    throw SyncError(
      .folderMissing,
      "\(transport.name) shows files of \(family.place), but not the file \(family.marker) that belongs to them: wait "
        + "until it is there and sync again, or \(SyncError.remedyOfEmptiedFolder)")
  }
}

extension DeviceReport.Store {
  fileprivate mutating func note(delivered values: [ValueSlice], by device: String) {
    guard !values.isEmpty else { return }
    devices[device, default: SyncReport()].valuesDelivered += Set(values.map(\.value)).count
    devices[device, default: SyncReport()].valueBytes += values.reduce(0) { $0 + $1.range.count }
  }
}
