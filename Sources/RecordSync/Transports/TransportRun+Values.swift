import Foundation
import RecordStore

extension TransportRun {
  /// The calls of a run that have failed. One may have failed for one file, such as one that is larger than the place
  /// takes, and what comes after may go well.
  struct CallFailures {
    private(set) var first: SyncError?
    private var inARow = 0
    /// Values of which a piece was among the files of a call that failed.
    private var broken: Set<ExternalReference> = []
    /// Whether the place cannot be reached, as it seems.
    var isFinal: Bool { inARow == 2 }

    /// `slices`: the files that the call moves.
    mutating func during(moving slices: [ValueSlice], _ call: () async throws -> Void) async throws {
      do {
        try await call()
        inARow = 0
      } catch let error as SyncError {
        first = first ?? error
        inARow += 1
        for slice in slices where slice.index != nil { broken.insert(slice.value) }
      }
    }

    /// Whether a call is of no use: behind a piece that did not come the others would wait for it in vain.
    func isVain(moving slices: [ValueSlice]) -> Bool { isFinal || slices.contains { broken.contains($0.value) } }
  }

  /// Fetches large values that stores await, and brings them to their places. `device`: its path, for the reports.
  mutating func fetchValues(_ listing: TransportListing, of device: String) async throws {
    var wanted: [DeviceDirectory.Place: [(slice: ValueSlice, path: String)]] = [:]
    for place in order(.taken) {
      guard let member = members[place], let chosen = try chosenValues(at: place, of: device),
        let store = member.store
      else { continue }
      var left: Set<ExternalReference> = []
      let arrivals = try member.family.valueArrivals(of: store, among: chosen.digests, member.declined)
        .filter { arrival in
          let (value, byteCount) = (arrival.slice.value, member.family.remote.byteCount(of: arrival.slice))
          // A piece is of use only behind those before it.
          guard !left.contains(value), admits(value.name, at: place, byteCount, .taken) else {
            left.insert(value)
            return false
          }
          return true
        }
      if !arrivals.isEmpty { wanted[place] = arrivals }
      turns[.taken]?.note(place)
    }
    let arrivals = wanted.sorted { $0.key < $1.key }.flatMap { place, arrivals in
      arrivals.map { (place: place, slice: $0.slice, path: $0.path) }
    }
    var failures = CallFailures()
    for batch in Self.batches(arrivals, by: \.slice) {
      let (slices, sorted) = (batch.map(\.slice), Set(batch.map(\.path)).sorted())
      guard !failures.isVain(moving: slices) else { continue }
      try Task.checkCancellation()
      try await failures.during(moving: slices) { try await transport.get(sorted, into: staging.arrivals) }
      _ = try staging.removeUnfinished(sorted, listing)
      for (place, arrivals) in Dictionary(grouping: batch, by: \.place) {
        try take(arrivals.map { ($0.slice, $0.path) }, at: place, of: device)
      }
      for path in sorted { try DurableFile.remove(staging.arrivals.appending(path: path)) }
    }
    if let failure = failures.first {
      for place in wanted.keys { reports[place]?.undelivered.append(failure.message) }
    }
    for place in members.keys { try noteAwaited(at: place, of: device) }
  }

  /// Large values under way at once: those before them stay if a run ends, and the disk holds one batch.
  private static let batchBytes = 64 << 20

  /// Parts of a list that have some 64 MiB. Pieces of a value go in calls of their own: a value that the place does not
  /// take, or no longer has, keeps nothing else away.
  private static func batches<Item>(_ items: [Item], by slice: (Item) -> ValueSlice) -> [ArraySlice<Item>] {
    var (batches, start, count): ([ArraySlice<Item>], Int, Int) = ([], 0, 0)
    for (index, item) in items.enumerated() {
      let (first, next) = (slice(items[start]), slice(item))
      let isOther = first.value != next.value && (first.index != nil || next.index != nil)
      if index > start, isOther || count + next.range.count > batchBytes {
        batches.append(items[start..<index])
        (start, count) = (index, 0)
      }
      count += next.range.count
    }
    if start < items.count { batches.append(items[start...]) }
    return batches
  }

  /// The large values that are to come for a store; nil where it cannot take any. `digests` nil: all.
  private func chosenValues(
    at place: DeviceDirectory.Place, of device: String
  ) throws -> (exchange: ValueExchange, digests: Set<String>?)? {
    guard let report = reports[place], report.failure == nil, let store = members[place]?.store else { return nil }
    var exchange = ValueExchange(store: store) { [progress] in progress?(place, device, $0) }
    exchange.place = place.description
    let isWaiting = report.devices[device]?.waiting.isEmpty == false
    return (exchange, try exchange.chosen(largeValues.chosen, isWaiting: isWaiting))
  }

  private mutating func take(
    _ arrivals: [(slice: ValueSlice, path: String)], at place: DeviceDirectory.Place, of device: String
  ) throws {
    guard var member = members[place], let store = member.store, let chosen = try chosenValues(at: place, of: device)
    else { return }
    let folder = place.exchangeFolder(in: staging.arrivals, key: member.family.remote.seal?.key)
    var own = reports[place]?.devices[device] ?? SyncReport()
    try chosen.exchange.receive(from: [.folder(folder, ValueNames(in: folder))], only: chosen.digests, into: &own)
    own.refused = own.refused.map { SyncReport.Refusal(file: $0.file, reason: renamed($0.reason)) }
    reports[place]?.devices[device] = own
    for arrival in arrivals where try store.externalFolder?.has(arrival.slice.value) == false {
      guard try DurableFile.item(at: staging.arrivals.appending(path: arrival.path)) != nil else { continue }
      let refusal = own.refused.first { arrival.path.hasSuffix($0.file) }
      // A piece that was taken waits for the others.
      guard arrival.slice.index == nil || refusal != nil else { continue }
      let reason = refusal?.reason ?? ""
      member.declined.note(arrival.path, member.family.look(of: [arrival.path]), reason: reason)
    }
    try member.declined.save(in: store)
    members[place] = member
  }

  private mutating func noteAwaited(at place: DeviceDirectory.Place, of device: String) throws {
    guard let chosen = try chosenValues(at: place, of: device), var own = reports[place]?.devices[device] else {
      return
    }
    var exchange = chosen.exchange
    exchange.budget = budget
    own.awaited = try exchange.awaited(among: chosen.digests)
    try chosen.exchange.noteLeft(besides: chosen.digests, in: &own)
    reports[place]?.devices[device] = own
  }

  /// Brings large values, but for the last batch, which is staged and goes with the files that name them.
  mutating func bringValues(
    _ work: inout [DeviceDirectory.Place: Work], _ failures: inout CallFailures
  ) async throws {
    let values = work.sorted { $0.key < $1.key }.flatMap { place, work in work.values.map { (place: place, slice: $0) }
    }
    let batches = Self.batches(values, by: \.slice)
    for (index, batch) in batches.enumerated() where !failures.isVain(moving: batch.map(\.slice)) {
      try Task.checkCancellation()
      var paths: [String] = []
      for (place, slice) in batch where work[place] != nil {
        guard let member = members[place], let store = member.store else { continue }
        let staged = try attempt(at: place) { run -> [String] in
          try CancellationRequest.check()
          // None where the value is gone.
          return try member.family.stage(slice, of: store, in: run.staging.departures).map { [$0] } ?? []
        }
        if let staged, index < batches.count - 1 {
          paths += staged
        } else if let staged {
          work[place]?.paths += staged
        } else {
          // Its report says why.
          work[place] = nil
        }
      }
      guard !paths.isEmpty else { continue }
      try await failures.during(moving: batch.map(\.slice)) {
        try await transport.put(paths, from: staging.departures)
      }
      if failures.isFinal, let failure = failures.first { throw failure }
      for path in paths { try DurableFile.remove(staging.departures.appending(path: path)) }
    }
  }
}
