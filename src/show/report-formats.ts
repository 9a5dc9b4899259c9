export const reportFormats = ["html", "json", "svg"] as const;
