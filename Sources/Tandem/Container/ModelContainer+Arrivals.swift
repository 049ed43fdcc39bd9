import RecordStore

extension ModelContainer {
  /// Large values of other devices as they come: each that records name and that was awaited, once its bytes are here.
  ///
  /// ```swift
  /// for try await value in try context.container.externalValueArrivals() {
  ///   for ride in rides where try context.externalValue(of: \.map, for: ride)?.sha256 == value.sha256 {
  ///     show(ride, try value.data())
  ///   }
  /// }
  /// ```
  /// A synchronisation may bring a record before its large values, and with `.onDemand` brings these when an app asks.
  /// The values come in the order of their digests where several come at once, and once whatever number of objects has
  /// them. A synchronisation in another process on the same store counts, too. What has come between the call and the
  /// first element is among them, so nothing is missed if an app makes the sequence, and then looks which of its values
  /// are there. A value that lay here already when a record first named it is none that has come.
  ///
  /// The sequence ends when the consuming task is cancelled, and keeps the container's stores open. Several may be read
  /// at once; each gets all.
  ///
  /// Cost: the digests of all large values that files of the exchange name are in memory, about a hundred bytes each,
  /// and are read again when some have come. Nothing is done in between.
  ///
  /// - Throws: what reading a store throws.
  public func externalValueArrivals() throws -> ExternalValueArrivals {
    try ExternalValueArrivals(of: core.ownStores.map(\.store))
  }
}
