import CThreads
import Observation

/// The word in which Observation keeps, for each thread, what is read inside `withObservationTracking`: zero outside.
///
/// No function of Observation's leads to it, so it is looked for, once a process: among the words that Observation's
/// library (or the program, where that is part of it) keeps for each thread, the one that is another one inside than
/// before and after. Only a single one that does so is taken. Without one, ``ObservationProbe`` has a slower answer:
/// where the system does not tell, and should a later Observation work otherwise.
///
/// A pointer file: an address inside Observation's library is what the search begins with.
struct TrackingWord {
  private let file: Int
  private let index: Int

  /// Whether the current thread is inside `withObservationTracking`. Some ten instructions.
  @inline(__always)
  var isSet: Bool { tandem_thread_word(file, index) != 0 }

  static let found: TrackingWord? = find()

  private static func find() -> TrackingWord? {
    let place = tandem_thread_words_beside(unsafeBitCast(ObservationRegistrar.self, to: UnsafeRawPointer.self))
    func words() -> [UInt] { (0..<place.count).map { tandem_thread_word(place.file, $0) } }
    // The search itself may be inside, when the first read of an attribute is.
    let before = words()
    let inside = withObservationTracking(words, onChange: {})
    let after = words()
    let changed = before.indices.filter { before[$0] == after[$0] && inside[$0] != before[$0] && inside[$0] != 0 }
    guard changed.count == 1 else { return nil }
    return TrackingWord(file: place.file, index: changed[0])
  }
}
