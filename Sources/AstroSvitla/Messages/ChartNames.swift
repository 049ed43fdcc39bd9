// What the parts of a chart are called. Stored and exchanged are raw values, never these names.

extension Planet {
  /// The planet's name for people, as it begins a line.
  public func name(in language: AppLanguage) -> String { language.text(key) }

  /// The key of the name.
  package var key: MessageKey { .name("planet", rawValue.lowercased()) }
}

extension ZodiacSign {
  /// The sign's name for people.
  public func name(in language: AppLanguage) -> String { language.text(.name("sign", rawValue.lowercased())) }
}

extension ZodiacSign.Element {
  /// The element's name for people.
  public func name(in language: AppLanguage) -> String { language.text(.name("element", rawValue.lowercased())) }
}

extension ZodiacSign.Modality {
  /// The modality's name for people.
  public func name(in language: AppLanguage) -> String { language.text(.name("modality", rawValue.lowercased())) }
}

extension AspectKind {
  /// The aspect's name for people.
  public func name(in language: AppLanguage) -> String { language.text(.name("aspect", rawValue.lowercased())) }
}

extension Aspect.Motion {
  /// The motion's name for people.
  public func name(in language: AppLanguage) -> String { language.text(.name("motion", rawValue)) }
}
