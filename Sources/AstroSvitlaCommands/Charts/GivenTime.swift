import AstroSvitla

/// What a command line says of the time of a birth.
enum GivenTime {
  case known(BirthTime)
  case unknown

  /// Reads `07:45` or `unknown`. Throws `invalidValue`.
  init(text: String) throws {
    self = text == "unknown" ? .unknown : .known(try BirthTime(iso: text))
  }

  /// Nil where nobody knows it.
  var time: BirthTime? {
    switch self {
    case .known(let time): time
    case .unknown: nil
    }
  }
}
