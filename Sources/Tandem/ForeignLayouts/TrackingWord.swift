import CThreads
import ForeignLayouts
import Observation

/// The word in which Observation keeps, for each thread, what is read inside `withObservationTracking`: zero outside.
///
/// A bet on Observation (``ForeignLayout/observation``): its library has one thread-local word of that meaning, as
/// `ThreadLocal.cpp` in the Swift project's Observation has. No function leads to the word, so it is looked for, once a
/// process: among the words that the library (or the program, where the library is part of it) keeps for each thread,
/// the one that is another one inside than before and after. Only a single one that does so is taken, and only if it
/// says the same as ``ObservationProbe/isHashing``, the slower way. This one is taken where the bet is turned off,
/// where the system does not tell of thread-local words, and should a later Observation work otherwise.
///
/// A pointer file: an address inside Observation's library is what the search begins with.
struct TrackingWord {
  private let file: Int
  private let index: Int

  init(file: Int, index: Int) {
    self.file = file
    self.index = index
  }

  /// Whether the current thread is inside `withObservationTracking`. Some ten instructions.
  @inline(__always)
  var isSet: Bool { tandem_thread_word(file, index) != 0 }

  static let found: TrackingWord? = {
    guard ForeignLayout.observation.isOn, let word = find() else { return nil }
    ForeignLayout.observation.settle(agrees { word.isSet })
    return ForeignLayout.observation.isOn ? word : nil
  }()

  private static func find() -> TrackingWord? {
    let place = Self.words
    func words() -> [UInt] { (0..<place.count).map { tandem_thread_word(place.file, $0) } }
    // The search itself may be inside, when the first read of an attribute is.
    let before = words()
    let inside = withObservationTracking(words, onChange: {})
    let after = words()
    let changed = before.indices.filter { before[$0] == after[$0] && inside[$0] != before[$0] && inside[$0] != 0 }
    guard changed.count == 1 else { return nil }
    return TrackingWord(file: place.file, index: changed[0])
  }

  /// The words that Observation's library keeps for each thread.
  static var words: tandem_thread_words {
    tandem_thread_words_beside(
      UnsafeRawPointer(bitPattern: UInt(bitPattern: ObjectIdentifier(ObservationRegistrar.self))))
  }

  /// Whether an answer is that of Observation itself. Outside, that one can be a chance yes, when another thread reads
  /// under tracking at that moment, and never a no: the answer must not say more.
  static func agrees(_ isSet: () -> Bool) -> Bool {
    func isSound() -> Bool { !isSet() || ObservationProbe.isHashing }
    return isSound() && withObservationTracking({ isSet() && ObservationProbe.isHashing }, onChange: {}) && isSound()
  }
}
