import Foundation

// What the parts of a chart are called. Stored and exchanged are raw values, never these names.

extension Planet {
  /// The planet's name for people, as it begins a line.
  public func name(in language: AppLanguage) -> String {
    guard language == .ukrainian else { return rawValue.capitalized }
    return switch self {
    case .sun: "Сонце"
    case .moon: "Місяць"
    case .mercury: "Меркурій"
    case .venus: "Венера"
    case .mars: "Марс"
    case .jupiter: "Юпітер"
    case .saturn: "Сатурн"
    case .uranus: "Уран"
    case .neptune: "Нептун"
    case .pluto: "Плутон"
    }
  }
}

extension ZodiacSign {
  /// The sign's name for people.
  public func name(in language: AppLanguage) -> String {
    guard language == .ukrainian else { return rawValue.capitalized }
    return switch self {
    case .aries: "Овен"
    case .taurus: "Телець"
    case .gemini: "Близнюки"
    case .cancer: "Рак"
    case .leo: "Лев"
    case .virgo: "Діва"
    case .libra: "Терези"
    case .scorpio: "Скорпіон"
    case .sagittarius: "Стрілець"
    case .capricorn: "Козеріг"
    case .aquarius: "Водолій"
    case .pisces: "Риби"
    }
  }
}

extension AspectKind {
  /// The aspect's name for people.
  public func name(in language: AppLanguage) -> String {
    guard language == .ukrainian else { return rawValue }
    return switch self {
    case .conjunction: "з’єднання"
    case .opposition: "опозиція"
    case .trine: "тригон"
    case .square: "квадрат"
    case .sextile: "секстиль"
    }
  }
}

extension Aspect.Motion {
  /// The motion's name for people.
  public func name(in language: AppLanguage) -> String {
    guard language == .ukrainian else { return rawValue }
    return switch self {
    case .applying: "сходиться"
    case .separating: "розходиться"
    case .exact: "точний"
    }
  }
}
