/// One installation's stream of writes. Minted at random when a store is created, copied or restored.
public struct ReplicaID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible, LosslessStringConvertible {
  /// The id as a number.
  public let value: UInt64

  /// An id by its number.
  @inlinable
  public init(_ value: UInt64) { self.value = value }

  /// Reads sixteen hexadecimal digits; nil for any other text.
  public init?(_ description: String) {
    guard let value = UInt64(hexadecimal: description[...]) else { return nil }
    self.value = value
  }

  /// Whether an id comes before another.
  @inlinable
  public static func < (left: ReplicaID, right: ReplicaID) -> Bool { left.value < right.value }

  /// Sixteen lower-case hexadecimal digits.
  public var description: String { value.hexadecimal }
}

/// The time of one transaction by the hybrid logical clock, totally ordered across replicas.
///
/// Compared as (epoch, wall milliseconds, counter, replica). ``zero`` is below every real stamp; it is
/// the stamp of defaults, which therefore never beat a write.
public struct Stamp: Hashable, Comparable, Sendable {
  /// Epoch in the upper 16 bits, milliseconds since 1970 in the lower 48.
  public let time: UInt64
  /// Tells transactions of one millisecond apart.
  public let counter: UInt16
  /// The replica that made the transaction.
  public let replica: ReplicaID

  /// The length of a stamp in files, in bytes.
  public static let byteCount = 18
  /// Below every stamp of a transaction.
  public static let zero = Stamp(time: 0, counter: 0, replica: ReplicaID(0))
  /// The latest time that a stamp can hold.
  public static let maximumWallMilliseconds: UInt64 = (1 << 48) - 1

  /// Creates a stamp from its parts, epoch and time in one number.
  @inlinable
  public init(time: UInt64, counter: UInt16, replica: ReplicaID) {
    self.time = time
    self.counter = counter
    self.replica = replica
  }

  /// Creates a stamp from its parts. A time that is too late becomes the latest one.
  @inlinable
  public init(epoch: UInt16, wallMilliseconds: UInt64, counter: UInt16, replica: ReplicaID) {
    self.init(
      time: UInt64(epoch) << 48 | min(wallMilliseconds, Stamp.maximumWallMilliseconds),
      counter: counter, replica: replica)
  }

  /// The epoch, which rises when a clock that ran years ahead had to be outrun.
  @inlinable public var epoch: UInt16 { UInt16(truncatingIfNeeded: time >> 48) }
  /// The wall time, as milliseconds since 1970.
  @inlinable public var wallMilliseconds: UInt64 { time & Stamp.maximumWallMilliseconds }

  /// Whether a stamp comes before another.
  @inlinable
  public static func < (left: Stamp, right: Stamp) -> Bool {
    if left.time != right.time { return left.time < right.time }
    if left.counter != right.counter { return left.counter < right.counter }
    return left.replica < right.replica
  }
}

extension Stamp {
  /// Stamps of epochs up to this one may come from anywhere: above them lies room for as many again.
  ///
  /// An epoch costs a clock that was wrong by more than a day, so no family gets near.
  package static let greatestFreeEpoch: UInt16 = .max / 2

  /// Whether a clock that has seen `seen` may take note of this stamp.
  ///
  /// A clock leads at most one epoch above what it has seen. So a stamp behind the free epochs is honest only if what
  /// it leads on from has been seen; and a forged one cannot take the whole range at once, from which no device could
  /// write on.
  package func isWithinReach(of seen: Stamp) -> Bool {
    epoch <= Stamp.greatestFreeEpoch || UInt32(epoch) <= UInt32(seen.epoch) + 1
  }
}

/// The name of one transaction: the replica that made it and its place, from 1, in that replica's stream.
public struct Dot: Hashable, Comparable, Sendable, Codable {
  /// The replica that made the transaction.
  public let replica: ReplicaID
  /// The transaction's place in the replica's stream, from 1.
  public let sequence: UInt64

  /// No stream gets longer: a transaction each millisecond for 35 years. Files that speak of more are refused, so that
  /// neither the next number nor a sum over all replicas that a file can name overflows.
  package static let greatestSequence: UInt64 = (1 << 40) - 1

  /// Creates a dot from its parts.
  @inlinable
  public init(replica: ReplicaID, sequence: UInt64) {
    self.replica = replica
    self.sequence = sequence
  }

  /// Whether a dot comes before another: by replica, then by place.
  public static func < (left: Dot, right: Dot) -> Bool {
    left.replica != right.replica ? left.replica < right.replica : left.sequence < right.sequence
  }
}

/// The transactions of each replica that have been seen: all up to a sequence number, without a gap.
///
/// The stamp of the last one stands beside its number. A replica's stamps rise with its sequence, so
/// "has this value been seen" is a comparison of stamps and needs no look-up of dots.
public struct VersionVector: Hashable, Sendable {
  /// How far one replica was seen.
  public struct Entry: Hashable, Sendable {
    /// The number of the last transaction that was seen.
    public var sequence: UInt64
    /// The stamp of that transaction.
    public var stamp: Stamp
    /// Creates an entry from its parts.
    public init(sequence: UInt64, stamp: Stamp) {
      self.sequence = sequence
      self.stamp = stamp
    }
  }
  /// The entries by replica. One that is missing was never seen.
  public var entries: [ReplicaID: Entry]

  /// A vector of entries; without any, nothing was seen.
  public init(entries: [ReplicaID: Entry] = [:]) { self.entries = entries }

  /// The number of the last transaction of a replica that was seen; 0 if none was.
  public func sequence(of replica: ReplicaID) -> UInt64 { entries[replica]?.sequence ?? 0 }

  /// Whether all that somebody else has seen was seen, under the same stamps.
  func covers(_ other: VersionVector) -> Bool {
    other.entries.allSatisfy { replica, entry in
      entries[replica].map { $0.sequence > entry.sequence && $0.stamp > entry.stamp || $0 == entry } ?? false
    }
  }

  /// The vector without one replica's entry.
  func without(_ replica: ReplicaID) -> VersionVector {
    // As in a store that no other device has a copy of.
    if entries.count == 1, entries[replica] != nil { return VersionVector() }
    var others = self
    others.entries[replica] = nil
    return others
  }

  /// Whether ``without(_:)`` is `others`; costs no copy.
  func consists(of others: VersionVector, and replica: ReplicaID) -> Bool {
    others.entries[replica] == nil
      && others.entries.count == entries.count - (entries[replica] == nil ? 0 : 1)
      && others.entries.allSatisfy { entries[$0.key] == $0.value }
  }

  /// Whether a transaction was seen.
  public func covers(_ dot: Dot) -> Bool { dot.sequence <= sequence(of: dot.replica) }
  /// Whether the transaction with this stamp was seen. ``Stamp/zero`` always was.
  public func covers(_ stamp: Stamp) -> Bool {
    stamp == .zero || (entries[stamp.replica].map { stamp <= $0.stamp } ?? false)
  }
}
